/* SPDX-License-Identifier: MIT */
/*
 * The plan against every baseline, not only the one asked for: the choice of
 * a baseline alone moves a saving by points.
 */
#ifndef PERSEUS_PLANNER_RESULT_REGRET_H
#define PERSEUS_PLANNER_RESULT_REGRET_H

#include "planner/result/outcome.h"

#define REGRET_SEEDS 16 /* random placements whose mean counts */

struct regret {
	enum baseline baseline;
	uint64_t time_ns, energy_pj; /* of the run; random: the mean */
	uint64_t peak_mw;            /* random: the largest */
	struct cost best, worst;     /* random: of the seeds, by the goal; the others: the same twice */
};

/* A whole run's cost: with several models their mean, or the worst of them, as the plan was made. */
struct cost regret_cost(const struct outcome *o, const struct evaluation *ev);

/* Fill @out, which has BASELINE_N entries in the order of the enum. */
void planner_regret(const struct outcome *o, struct regret *out);

#endif
