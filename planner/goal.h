/* SPDX-License-Identifier: MIT */
/* What a search is to make small, and what it has to keep to. */
#ifndef PERSEUS_PLANNER_GOAL_H
#define PERSEUS_PLANNER_GOAL_H

#include <stdint.h>

#include "yaml/plan.h"

struct cost {
	uint64_t time_ns;
	uint64_t energy_pj;
};

struct goal {
	enum plan_objective objective;
};

/* Less than 0, 0, more than 0 as @a is better than, as good as, worse than @b. */
int cost_compare(const struct cost *a, const struct cost *b, const struct goal *goal);

/* The objective's figure. */
uint64_t cost_primary(const struct cost *c, const struct goal *goal);

#endif
