/* SPDX-License-Identifier: MIT */
/*
 * Conflicts of the model -> counted accesses and prices in a phase.
 *
 * A conflict is known as accesses per kilocycle of each thread's own work.
 * What an access costs more at a distance is the platform's price for two
 * threads that come as often as these do; where the model does not say how
 * often, for two at full rate.  How many accesses pay is the evaluator's
 * matter (phase.c), since it depends on the placement: a part of the rarer
 * side's.  The accesses of the other side that meet them are in its price.
 */
#include <stdlib.h>

#include "lib/mem.h"
#include "planner/problem.h"

/* A gap of a second is as good as none; no access waits for longer than a price can say. */
#define MAX_GAP_PS   1000000000000ull
#define MAX_EXTRA_PS 1000000000000ull

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

static struct platform_visitor visitor(const struct platform *platform, enum model_access kind, double gap)
{
	double ps = gap * 1e9 / platform->steps[0].khz;

	return (struct platform_visitor){price_kind(kind), ps < MAX_GAP_PS ? (uint64_t)ps : MAX_GAP_PS};
}

/*
 * Accesses of the side with @count and @gap that meet the other side's, for
 * each access that the evaluator counts as paid.  They meet as long as both
 * sides are at it.
 */
static double meetings(double count, double gap, double other_count, double other_gap)
{
	double least = count < other_count ? count : other_count;
	double together = count * gap < other_count * other_gap ? count * gap : other_count * other_gap;

	return gap > 0 && other_gap > 0 && least > 0 ? together / gap / least : 1;
}

static void fill_extra(const struct platform *platform, const struct model_conflict *mc,
		       struct prob_conflict *c)
{
	bool both = mc->gap_a > 0 && mc->gap_b > 0;
	struct platform_visitor a = visitor(platform, mc->kind_a, both ? mc->gap_a : 0);
	struct platform_visitor b = visitor(platform, mc->kind_b, both ? mc->gap_b : 0);
	double na = meetings((double)c->count_a, mc->gap_a, (double)c->count_b, mc->gap_b);
	double nb = meetings((double)c->count_b, mc->gap_b, (double)c->count_a, mc->gap_a);

	for (int d = DIST_SMT; d < DIST_N; d++) {
		double xa = na * (double)platform_conflict_ps(platform, (enum platform_distance)d, &a, &b);
		double xb = nb * (double)platform_conflict_ps(platform, (enum platform_distance)d, &b, &a);

		c->extra_a[d] = xa < MAX_EXTRA_PS ? (uint64_t)xa : MAX_EXTRA_PS;
		c->extra_b[d] = xb < MAX_EXTRA_PS ? (uint64_t)xb : MAX_EXTRA_PS;
	}
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

static void add_conflict(struct problem *pb, struct prob_phase *ph, uint32_t index, bool heavy)
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
	fill_extra(pb->machine->platform, mc, &c);
	pb->unpriced |= !price_known(pb->machine->platform, mc->kind_a) ||
			!price_known(pb->machine->platform, mc->kind_b);
	ph->conflicts[ph->n_conflicts++] = c;
}

void problem_conflicts(struct problem *pb)
{
	uint32_t n = (uint32_t)pb->model->n_conflicts;

	for (uint32_t p = 0; p < pb->n_phases; p++) {
		struct prob_phase *ph = &pb->phases[p];

		ph->conflicts = mem_new(n + 1, sizeof(*ph->conflicts));
		for (uint32_t i = 0; i < n; i++)
			add_conflict(pb, ph, i, true);
		ph->n_heavy_conflicts = ph->n_conflicts;
		for (uint32_t i = 0; i < n; i++)
			add_conflict(pb, ph, i, false);
	}
}
