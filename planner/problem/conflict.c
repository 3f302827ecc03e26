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
#include <string.h>

#include "lib/mem.h"
#include "planner/problem/problem.h"

/* A gap of a second is as good as none; no access waits for longer than a price can say. */
#define MAX_GAP_PS   1000000000000ull
#define MAX_EXTRA_PS 1000000000000ull

static bool price_known(const struct platform *platform, enum prs_kind kind)
{
	const struct platform_price *p = &platform->price[kind];

	for (int d = DIST_SMT; d < DIST_N; d++)
		if (p->shared_ps[d])
			return true;
	return false;
}

/* One side of a conflict in a phase: what it does at the line. */
struct use {
	enum prs_kind kind;
	uint64_t alone_ps; /* an access takes that long at least */
	double count;
	double active_ps; /* how long it is at it; 0: not known */
	double work_ps;   /* all that it does */
};

static struct use use_of(const struct platform *platform, enum prs_kind kind, uint64_t count, double gap)
{
	struct use u = {.kind = kind, .count = (double)count};

	u.alone_ps = platform->price[u.kind].alone_ps;
	u.active_ps = gap > 0 ? (double)count * gap * 1e9 / platform->steps[0].khz : 0;
	if (u.active_ps > u.count * MAX_GAP_PS)
		u.active_ps = u.count * MAX_GAP_PS;
	return u;
}

/* From one access to the next.  Short gaps cannot be distinguished when they are seen. */
static uint64_t gap_of(const struct use *u)
{
	double ps = u->active_ps / u->count;
	uint64_t gap = ps < MAX_GAP_PS ? (uint64_t)ps : MAX_GAP_PS;

	return gap > u->alone_ps ? gap : u->alone_ps;
}

static uint64_t whole(double ps, uint64_t most)
{
	return ps < (double)most ? (uint64_t)ps : most;
}

/*
 * The evaluator counts an access of the rarer side as paid.  @least of them
 * are made while both are at the line, where this side comes every gap: it
 * pays for so many as fit between two of them.
 */
static void fill_side(const struct platform *platform, const struct use *own, const struct use *other,
		      uint64_t extra[DIST_N], uint64_t *span)
{
	double least = own->count < other->count ? own->count : other->count;
	double active = own->active_ps < other->active_ps ? own->active_ps : other->active_ps;
	bool known = active > 0;
	struct platform_visitor a = {own->kind, known ? gap_of(own) : 0};
	struct platform_visitor b = {other->kind, known ? gap_of(other) : 0};
	double times = known && a.gap_ps ? active / least / (double)a.gap_ps : 1;

	/* What is not known is taken for evenly spread. */
	*span = whole(known ? active / least : own->work_ps / own->count, MAX_EXTRA_PS);
	for (int d = DIST_SMT; d < DIST_N; d++)
		extra[d] = whole(
			times * (double)platform_conflict_ps(platform, (enum platform_distance)d, &a, &b),
			MAX_EXTRA_PS);
}

static double work_ps(const struct prob_phase *ph, uint32_t member, const struct machine *m)
{
	return (double)ph->work_ns[(size_t)member * m->n_steps] * 1000;
}

static void fill_prices(const struct machine *m, const struct prob_phase *ph, const struct model_conflict *mc,
			struct prob_conflict *c)
{
	struct use a = use_of(m->platform, mc->a.kind, c->count_a, mc->a.gap_cycles);
	struct use b = use_of(m->platform, mc->b.kind, c->count_b, mc->b.gap_cycles);

	a.work_ps = work_ps(ph, c->a, m);
	b.work_ps = work_ps(ph, c->b, m);
	fill_side(m->platform, &a, &b, c->extra_a, &c->span_a);
	fill_side(m->platform, &b, &a, c->extra_b, &c->span_b);
}

/* In one phase of the model: at most one access a cycle, whatever a rate says. */
static uint64_t accesses(const struct problem *pb, const struct model_conflict *mc,
			 const struct model_side *s, uint32_t phase, uint64_t cycles)
{
	double rate = model_rate(s) * model_density(pb->model, mc, s, phase);
	double n = rate > 0 ? rate * (double)cycles / 1000.0 : 0;

	return n < (double)cycles ? (uint64_t)(n + 0.5) : cycles;
}

static void conflict_count(const struct problem *pb, const struct prob_phase *ph,
			   const struct model_conflict *mc, struct prob_conflict *out)
{
	for (uint32_t i = ph->model_first; i < ph->model_last; i++) {
		const struct model_phase *mp = &pb->model->phases[pb->order[i]];
		const struct model_work *a = problem_work_of(mp, mc->a.thread),
					*b = problem_work_of(mp, mc->b.thread);

		if (!a || !b)
			continue;
		out->count_a += accesses(pb, mc, &mc->a, pb->order[i], a->cycles);
		out->count_b += accesses(pb, mc, &mc->b, pb->order[i], b->cycles);
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
		.a = member_index(ph, mc->a.thread), .b = member_index(ph, mc->b.thread), .model = index};

	if (c.a == PROB_NONE || c.b == PROB_NONE || c.a == c.b)
		return;
	if (heavy != (c.a < ph->n_heavy && c.b < ph->n_heavy))
		return;
	if (mc->a.kind == PRS_KIND_LOAD && mc->b.kind == PRS_KIND_LOAD)
		return;
	conflict_count(pb, ph, mc, &c);
	if (!c.count_a || !c.count_b)
		return;
	fill_prices(pb->machine, ph, mc, &c);
	pb->unpriced |= !price_known(pb->machine->platform, mc->a.kind) ||
			!price_known(pb->machine->platform, mc->b.kind);
	ph->conflicts[ph->n_conflicts++] = c;
}

/* Conflicts between the same two members behind each other, the earlier first. */
static int by_pair(const void *x, const void *y)
{
	const struct prob_conflict *a = *(struct prob_conflict *const *)x,
				   *b = *(struct prob_conflict *const *)y;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	if (a->b != b->b)
		return a->b < b->b ? -1 : 1;
	return (a > b) - (a < b);
}

static uint64_t slower(uint64_t extra_ps, uint64_t span_ps)
{
	uint64_t permille = span_ps ? extra_ps * 1000 / span_ps : 0;

	return permille < PROB_MAX_SLOWER ? permille : PROB_MAX_SLOWER;
}

/* While two run at once each is held up at all lines of the two: they add up. */
static void add_slower(struct prob_conflict *to, const struct prob_conflict *c, int d)
{
	uint64_t a = to->slower_a[d] + slower(c->extra_a[d], c->span_a);
	uint64_t b = to->slower_b[d] + slower(c->extra_b[d], c->span_b);

	to->slower_a[d] = a < PROB_MAX_SLOWER ? a : PROB_MAX_SLOWER;
	to->slower_b[d] = b < PROB_MAX_SLOWER ? b : PROB_MAX_SLOWER;
}

void problem_slower(struct prob_phase *ph)
{
	struct prob_conflict **of = mem_new((size_t)ph->n_conflicts + 1, sizeof(*of));

	for (uint32_t i = 0; i < ph->n_conflicts; i++)
		of[i] = &ph->conflicts[i];
	qsort(of, ph->n_conflicts, sizeof(*of), by_pair);
	for (uint32_t i = 0, end; i < ph->n_conflicts; i = end) {
		struct prob_conflict sum = {0};

		for (end = i; end < ph->n_conflicts && of[end]->a == of[i]->a && of[end]->b == of[i]->b;
		     end++)
			for (int d = 0; d < DIST_N; d++)
				add_slower(&sum, of[end], d);
		for (uint32_t k = i; k < end; k++) {
			memcpy(of[k]->slower_a, sum.slower_a, sizeof(sum.slower_a));
			memcpy(of[k]->slower_b, sum.slower_b, sizeof(sum.slower_b));
			of[k]->again = k > i;
		}
	}
	free(of);
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
		problem_slower(ph);
		if (ph->n_conflicts > pb->max_conflicts)
			pb->max_conflicts = ph->n_conflicts;
	}
}
