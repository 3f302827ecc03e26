/* SPDX-License-Identifier: MIT */
#include "planner/problem/goal.h"

void cost_add(struct cost *sum, const struct cost *c, uint64_t times)
{
	sum->time_ns += c->time_ns * times;
	sum->energy_pj += c->energy_pj * times;
	sum->late_ns += c->late_ns * times;
	sum->over_mw += c->over_mw * times;
	sum->peak_mw = c->peak_mw > sum->peak_mw ? c->peak_mw : sum->peak_mw;
}

unsigned __int128 cost_primary(const struct cost *c, const struct goal *goal)
{
	switch (goal->objective) {
	case PLAN_TIME:
		return c->time_ns;
	case PLAN_ENERGY:
		return c->energy_pj;
	case PLAN_EDP:
		return (unsigned __int128)c->time_ns * c->energy_pj;
	default:
		return c->peak_mw;
	}
}

uint64_t cost_late_ns(const struct cost *c, const struct goal *goal)
{
	uint64_t beyond =
		goal->deadline_ns && c->time_ns > goal->deadline_ns ? c->time_ns - goal->deadline_ns : 0;

	return c->late_ns + beyond;
}

bool cost_keeps(const struct cost *c, const struct goal *goal)
{
	return !cost_late_ns(c, goal) && (!goal->cap_mw || c->peak_mw <= goal->cap_mw);
}

static int goal_compare(unsigned __int128 x, unsigned __int128 y)
{
	return (x > y) - (x < y);
}

int cost_compare(const struct cost *a, const struct cost *b, const struct goal *goal)
{
	int c = goal_compare(cost_late_ns(a, goal), cost_late_ns(b, goal));

	if (!c)
		c = goal_compare(a->over_mw, b->over_mw);
	if (!c)
		c = goal_compare(cost_primary(a, goal), cost_primary(b, goal));
	if (!c && goal->objective != PLAN_TIME)
		c = goal_compare(a->time_ns, b->time_ns);
	return c ? c : goal_compare(a->energy_pj, b->energy_pj);
}

bool goal_needs_watts(const struct goal *goal)
{
	return goal->objective != PLAN_TIME || goal->cap_mw;
}

uint64_t limit_ns(const struct limit *limit, uint64_t base_ns)
{
	if (!limit->relative)
		return limit->ns;
	return (uint64_t)((unsigned __int128)base_ns * (1000 + limit->permille) / 1000);
}
