/* SPDX-License-Identifier: MIT */
/* What a search is to make small, and what it has to keep to. */
#ifndef PERSEUS_PLANNER_PROBLEM_GOAL_H
#define PERSEUS_PLANNER_PROBLEM_GOAL_H

#include <stdbool.h>
#include <stdint.h>

#include "yaml/plan.h"

/* What a stretch of the run costs. */
struct cost {
	uint64_t time_ns;
	uint64_t energy_pj;
	uint64_t peak_mw; /* the largest draw of a phase */
	uint64_t late_ns; /* beyond the deadlines of the phases, summed; 0 if they have none */
	uint64_t over_mw; /* draw above the cap, summed over the phases; 0 without a cap */
};

/*
 * The deadline of a phase and the cap are counted where phases are evaluated
 * (struct problem has them), so that each phase that comes nearer to them
 * makes a design better; the deadline of the run is counted here.
 */
struct goal {
	enum plan_objective objective;
	uint64_t deadline_ns; /* of the whole run, 0: none */
	uint64_t cap_mw;      /* of the draw at any time, 0: none */
};

/* A length of time as users state it: in itself, or more than the baseline's. */
struct limit {
	uint64_t ns;       /* 0: none */
	bool relative;     /* to the baseline */
	uint32_t permille; /* relative: more than that by so much */
};

/* Add @c, @times over; the largest draw of both is kept. */
void cost_add(struct cost *sum, const struct cost *c, uint64_t times);

/*
 * Less than 0, 0, more than 0 as @a is better than, as good as, worse than
 * @b: first by the time beyond deadlines, then by the draw above the cap,
 * then by the objective, then by the other figures.
 */
int cost_compare(const struct cost *a, const struct cost *b, const struct goal *goal);

/* The objective's figure: ns, pJ, mW, or ns x pJ, which needs all the bits. */
unsigned __int128 cost_primary(const struct cost *c, const struct goal *goal);

/* Time beyond all deadlines, ns. */
uint64_t cost_late_ns(const struct cost *c, const struct goal *goal);

/* Does it keep to all deadlines and to the cap? */
bool cost_keeps(const struct cost *c, const struct goal *goal);

/* Does the goal need watts? */
bool goal_needs_watts(const struct goal *goal);

/* The absolute value of a limit, where the baseline takes @base_ns; 0: none. */
uint64_t limit_ns(const struct limit *limit, uint64_t base_ns);

#endif
