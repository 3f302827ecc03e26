/* SPDX-License-Identifier: MIT */
#include "planner/exact/equal.h"

#include <string.h>

#include "planner/cost/locks.h"

static uint32_t equal_place_of(const struct prob_block *block, uint32_t slot)
{
	for (uint32_t k = 0; k < block->n_slots; k++)
		if (block->slots[k] == slot)
			return k;
	return PROB_NONE;
}

static bool same_conflict(const struct prob_conflict *x, const struct prob_conflict *y)
{
	return x->a == y->a && x->b == y->b && x->count_a == y->count_a && x->count_b == y->count_b &&
	       x->span_a == y->span_a && x->span_b == y->span_b &&
	       !memcmp(x->extra_a, y->extra_a, sizeof(x->extra_a)) &&
	       !memcmp(x->extra_b, y->extra_b, sizeof(x->extra_b));
}

static bool same_phase(const struct problem *pb, const struct prob_block *a, const struct prob_block *b,
		       uint32_t i)
{
	const struct prob_phase *x = &pb->phases[a->first + i], *y = &pb->phases[b->first + i];
	size_t n = (size_t)x->n_heavy * pb->machine->n_steps;

	if (x->n_heavy != y->n_heavy || x->n_heavy_conflicts != y->n_heavy_conflicts ||
	    x->repeats != y->repeats || x->limit_ns != y->limit_ns ||
	    memcmp(x->work_ns, y->work_ns, n * sizeof(*x->work_ns)) != 0)
		return false;
	if ((pb->epochs[x->epoch] == a->first + i) != (pb->epochs[y->epoch] == b->first + i))
		return false;
	for (uint32_t k = 0; k < x->n_heavy; k++) {
		uint32_t at = equal_place_of(a, x->members[k].slot);

		if (at == PROB_NONE || at != equal_place_of(b, y->members[k].slot))
			return false;
	}
	if (!locks_same(pb->machine, x, y))
		return false;
	for (uint32_t k = 0; k < x->n_heavy_conflicts; k++)
		if (!same_conflict(&x->conflicts[k], &y->conflicts[k]))
			return false;
	return true;
}

bool equal_blocks(const struct problem *pb, uint32_t a, uint32_t b)
{
	const struct prob_block *x = &pb->blocks[a], *y = &pb->blocks[b];

	if (x->n_slots != y->n_slots || x->last - x->first != y->last - y->first)
		return false;
	for (uint32_t i = 0; i <= x->last - x->first; i++)
		if (!same_phase(pb, x, y, i))
			return false;
	return true;
}

void equal_copy(const struct problem *pb, uint32_t b, const struct goal *goal, const struct candidates *from,
		struct candidates *to)
{
	candidates_init(to, pb, b, from->cap);
	to->bound = from->bound;
	to->proven = from->proven;
	for (uint32_t i = 0; i < from->n; i++)
		candidates_add(to, pb, b, goal, &from->at[i]);
}
