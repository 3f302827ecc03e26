/* SPDX-License-Identifier: MIT */
#include "planner/goal.h"

uint64_t cost_primary(const struct cost *c, const struct goal *goal)
{
	return goal->objective == PLAN_TIME ? c->time_ns : c->energy_pj;
}

int cost_compare(const struct cost *a, const struct cost *b, const struct goal *goal)
{
	uint64_t x = cost_primary(a, goal), y = cost_primary(b, goal);

	if (x == y) {
		x = goal->objective == PLAN_TIME ? a->energy_pj : a->time_ns;
		y = goal->objective == PLAN_TIME ? b->energy_pj : b->time_ns;
	}
	return (x > y) - (x < y);
}
