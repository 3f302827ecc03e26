/* SPDX-License-Identifier: MIT */
/*
 * Conflicts of the model -> counted accesses and prices in a phase.
 *
 * A conflict is known as accesses per kilocycle of each thread's own work.
 * What an access costs more at a distance is the platform's price for two
 * threads that come as often as these do (platform_clash(), which is also what
 * `perseus conflicts` goes by); where the model does not say how often, for
 * two at full rate.  How many accesses pay is the evaluator's matter
 * (phase.c), since it depends on the placement: a part of the rarer side's.
 * The accesses of the other side that meet them are in its price.
 *
 * Recorded work contains what the threads waited for their lines then.  On
 * the machine that it was recorded on this is known, and taken out, or it
 * would be paid twice.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/problem.h"

/* No access waits for longer than a price can say. */
#define MAX_EXTRA_PS 1000000000000ull

/* A thread does not go a million times slower for a line. */
#define MAX_SLOW_PERMILLE 1000000000ull

/* At most this part of the recorded work was waiting, whatever rates say. */
#define MOST_WAITING 0.9

static enum price_access price_kind(enum model_access kind)
{
	switch (kind) {
	case MODEL_STORE:
		return PRICE_STORE;
	case MODEL_RMW:
		return PRICE_RMW;
	case MODEL_ATOMIC:
		return PRICE_ATOMIC;
	default:
		return PRICE_LOAD;
	}
}

static bool price_known(const struct platform *platform, enum model_access kind)
{
	const struct platform_price *p = &platform->price[price_kind(kind)];

	for (int d = DIST_SMT; d < DIST_N; d++)
		if (p->shared_ps[d])
			return true;
	return false;
}

/* How far two units are apart, for all ordered pairs of different ones. */
struct distances {
	uint64_t pairs[DIST_N];
	uint64_t all;
};

static void count_distances(const struct machine *m, struct distances *out)
{
	*out = (struct distances){.all = (uint64_t)m->n_units * (m->n_units - 1)};
	for (uint32_t a = 0; a < m->n_units; a++)
		for (uint32_t b = 0; b < m->n_units; b++)
			out->pairs[m->distance[(size_t)a * m->n_units + b]] += a != b;
}

static uint64_t mean_of(const struct distances *d, const uint64_t by_distance[DIST_N])
{
	unsigned __int128 sum = 0;

	for (int i = 0; i < DIST_N; i++)
		sum += (unsigned __int128)by_distance[i] * d->pairs[i];
	return d->all ? (uint64_t)(sum / d->all) : 0;
}

static struct platform_use use_of(const struct problem *pb, enum model_access kind, uint64_t count,
				  double gap, enum model_waits waits)
{
	return (struct platform_use){.kind = price_kind(kind),
				     .visits = (double)count,
				     .active_ns =
					     (double)count * gap * 1e6 / pb->machine->platform->steps[0].khz,
				     .active_waits = waits == MODEL_WAITS_SPAN,
				     .gap_waits = waits == MODEL_WAITS_GAP};
}

/*
 * Prices of one side.  @least: the accesses that the evaluator counts as paid
 * if both sides always run together, of which the side makes more or fewer.
 */
static void fill_side(const struct platform *platform, const struct platform_clash *clash, double work_ns,
		      double least, uint64_t extra[DIST_N + 1], uint64_t slow[DIST_N + 1])
{
	double gap = (double)clash->own.gap_ps;

	for (int d = DIST_SMT; d < DIST_N; d++) {
		double ps = (double)platform_conflict_ps(platform, (enum platform_distance)d, &clash->own,
							 &clash->other);
		double all = clash->visits * ps / 1000;
		double part = gap > 0 ? ps / gap : work_ns > 0 ? all / work_ns : 0;

		ps *= clash->visits / least;
		extra[d] = ps < MAX_EXTRA_PS ? (uint64_t)ps : MAX_EXTRA_PS;
		slow[d] = 1000 +
			  (part * 1000 < MAX_SLOW_PERMILLE ? (uint64_t)(part * 1000) : MAX_SLOW_PERMILLE);
	}
}

/* Prices by distance, and what the two waited in the recorded run: added to @waited by member, ns. */
static void fill_prices(const struct problem *pb, const struct prob_phase *ph,
			const struct model_conflict *mc, struct prob_conflict *c, double *waited)
{
	const struct platform *platform = pb->machine->platform;
	bool both = mc->gap_a > 0 && mc->gap_b > 0;
	struct platform_use a = use_of(pb, mc->kind_a, c->count_a, both ? mc->gap_a : 0, mc->waits_a);
	struct platform_use b = use_of(pb, mc->kind_b, c->count_b, both ? mc->gap_b : 0, mc->waits_b);
	double together = problem_native(pb->model, platform) && mc->together > 0 ? mc->together : 0;
	double least = (double)(c->count_a < c->count_b ? c->count_a : c->count_b);
	enum platform_distance usual = platform_usual_distance(platform);
	struct platform_clash clash;

	a.work_ns = (double)ph->work_ns[(size_t)c->a * pb->machine->n_steps];
	b.work_ns = (double)ph->work_ns[(size_t)c->b * pb->machine->n_steps];
	platform_clash(platform, usual, &a, &b, together, &clash);
	fill_side(platform, &clash, a.work_ns, least, c->extra_a, c->slow_a);
	waited[c->a] += clash.stall_ns;
	platform_clash(platform, usual, &b, &a, together, &clash);
	fill_side(platform, &clash, b.work_ns, least, c->extra_b, c->slow_b);
	waited[c->b] += clash.stall_ns;
}

static const struct model_work *work_of(const struct model_phase *ph, uint32_t thread)
{
	for (size_t i = 0; i < ph->n_work; i++)
		if (ph->work[i].thread == thread)
			return &ph->work[i];
	return NULL;
}

/* At most one access a cycle, whatever a rate says. */
static uint64_t accesses(double rate, uint64_t cycles)
{
	double n = rate > 0 ? rate * (double)cycles / 1000.0 : 0;

	return n < (double)cycles ? (uint64_t)(n + 0.5) : cycles;
}

static void count(const struct problem *pb, const struct prob_phase *ph, const struct model_conflict *mc,
		  struct prob_conflict *out)
{
	for (uint32_t i = ph->model_first; i < ph->model_last; i++) {
		const struct model_phase *mp = &pb->model->phases[pb->order[i]];
		const struct model_work *a = work_of(mp, mc->thread_a), *b = work_of(mp, mc->thread_b);

		if (!a || !b || (mc->phase != MODEL_NONE && mc->phase != pb->order[i]))
			continue;
		out->count_a += accesses(mc->rate_a, a->cycles);
		out->count_b += accesses(mc->rate_b, b->cycles);
	}
}

static uint32_t member_index(const struct prob_phase *ph, uint32_t thread)
{
	for (uint32_t i = 0; i < ph->n_members; i++)
		if (ph->members[i].thread == thread)
			return i;
	return PROB_NONE;
}

static void add_conflict(struct problem *pb, struct prob_phase *ph, const struct distances *dist,
			 uint32_t index, bool heavy, double *waited)
{
	const struct model_conflict *mc = &pb->model->conflicts[index];
	struct prob_conflict c = {
		.a = member_index(ph, mc->thread_a), .b = member_index(ph, mc->thread_b), .model = index};

	if (c.a == PROB_NONE || c.b == PROB_NONE || c.a == c.b)
		return;
	if (heavy != (c.a < ph->n_heavy && c.b < ph->n_heavy))
		return;
	if (mc->kind_a == MODEL_LOAD && mc->kind_b == MODEL_LOAD)
		return;
	count(pb, ph, mc, &c);
	if (!c.count_a || !c.count_b)
		return;
	fill_prices(pb, ph, mc, &c, waited);
	c.extra_a[PROB_ANYWHERE] = mean_of(dist, c.extra_a);
	c.extra_b[PROB_ANYWHERE] = mean_of(dist, c.extra_b);
	c.slow_a[PROB_ANYWHERE] = mean_of(dist, c.slow_a);
	c.slow_b[PROB_ANYWHERE] = mean_of(dist, c.slow_b);
	pb->unpriced |= !price_known(pb->machine->platform, mc->kind_a) ||
			!price_known(pb->machine->platform, mc->kind_b);
	ph->conflicts[ph->n_conflicts++] = c;
}

/* Take out of a member's work what it waited. */
static void take_out(const struct problem *pb, struct prob_phase *ph, uint32_t i, double waited)
{
	uint32_t n = pb->machine->n_steps;
	uint64_t *work = &ph->work_ns[(size_t)i * n];
	double most = MOST_WAITING * (double)work[0], ns = waited < most ? waited : most;
	struct prob_member *m = &ph->members[i];
	uint64_t cycles = (uint64_t)(ns * pb->machine->platform->steps[0].khz / 1e6);

	m->cycles -= cycles < m->cycles ? cycles : m->cycles;
	for (uint32_t s = 0; s < n; s++)
		work[s] = problem_work_ns(m->cycles, m->memory_ns, pb->machine->platform->steps[s].khz);
}

bool problem_native(const struct model *model, const struct platform *platform)
{
	double hz = (double)model->hz, top = (double)platform->steps[0].khz * 1e3;

	return fabs(hz - top) <= 0.05 * top;
}

void problem_conflicts(struct problem *pb)
{
	uint32_t n = (uint32_t)pb->model->n_conflicts;
	double *waited = mem_new(pb->max_members + 1, sizeof(*waited));
	struct distances dist;

	count_distances(pb->machine, &dist);
	for (uint32_t p = 0; p < pb->n_phases; p++) {
		struct prob_phase *ph = &pb->phases[p];

		memset(waited, 0, (pb->max_members + 1) * sizeof(*waited));
		ph->conflicts = mem_new(n + 1, sizeof(*ph->conflicts));
		for (uint32_t i = 0; i < n; i++)
			add_conflict(pb, ph, &dist, i, true, waited);
		ph->n_heavy_conflicts = ph->n_conflicts;
		for (uint32_t i = 0; i < n; i++)
			add_conflict(pb, ph, &dist, i, false, waited);
		for (uint32_t i = 0; i < ph->n_members; i++)
			if (waited[i] > 0)
				take_out(pb, ph, i, waited[i]);
	}
	free(waited);
}
