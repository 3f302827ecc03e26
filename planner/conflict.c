/* SPDX-License-Identifier: MIT */
/*
 * Conflicts of the model -> counted accesses and prices in a phase.
 *
 * A conflict is known as accesses per kilocycle of each thread's own work.
 * What an access costs more at a distance is the platform's price for two
 * threads at full rate, less the undisturbed access.  How many accesses pay
 * is the evaluator's matter (phase.c), since it depends on the placement.
 */
#include <stdlib.h>

#include "lib/mem.h"
#include "planner/problem.h"

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

/* The price at a distance; a missing one is taken from the next farther, else the next nearer. */
static uint64_t shared_ps(const struct platform_price *p, int distance)
{
	for (int d = distance; d < DIST_N; d++)
		if (p->shared_ps[d])
			return p->shared_ps[d];
	for (int d = distance - 1; d > DIST_SAME; d--)
		if (p->shared_ps[d])
			return p->shared_ps[d];
	return 0;
}

/* True if the platform has any price for such an access. */
static bool fill_extra(const struct platform *platform, enum model_access kind, uint64_t extra[DIST_N])
{
	const struct platform_price *p = &platform->price[price_kind(kind)];
	bool known = false;

	for (int d = DIST_SMT; d < DIST_N; d++) {
		uint64_t shared = shared_ps(p, d);

		known |= shared != 0;
		extra[d] = shared > p->alone_ps ? shared - p->alone_ps : 0;
	}
	return known;
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
	bool known;

	if (c.a == PROB_NONE || c.b == PROB_NONE || c.a == c.b)
		return;
	if (heavy != (c.a < ph->n_heavy && c.b < ph->n_heavy))
		return;
	if (mc->kind_a == MODEL_LOAD && mc->kind_b == MODEL_LOAD)
		return;
	count(pb, ph, mc, &c);
	if (!c.count_a || !c.count_b)
		return;
	known = fill_extra(pb->machine->platform, mc->kind_a, c.extra_a);
	known &= fill_extra(pb->machine->platform, mc->kind_b, c.extra_b);
	pb->unpriced |= !known;
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
