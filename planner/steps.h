/* SPDX-License-Identifier: MIT */
/*
 * The best frequency steps of a phase for a given placement.
 *
 * Without conflicts the choice falls apart: once it is fixed how long each
 * package is awake (one of the times its units may take) and how long the
 * phase lasts, every domain chooses for itself.  So all combinations are
 * covered without walking through them.  Conflicts tie domains together (a
 * slower thread disturbs less); then the combinations are enumerated.
 */
#ifndef PERSEUS_PLANNER_STEPS_H
#define PERSEUS_PLANNER_STEPS_H

#include "planner/eval.h"

/* Working memory. */
struct stepper {
	uint64_t *load;   /* per unit and step, ns: load[unit * n_steps + step] */
	uint64_t *awake;  /* candidate lengths of all packages */
	uint64_t *energy; /* and their cost, pJ */
	uint32_t *first;  /* of package k: [first[k], first[k + 1]) */
	uint8_t *pinned;  /* per domain: the only step allowed, or STEP_FREE */
	uint8_t *trial;
	uint8_t *best;
	uint32_t *busy; /* domains with work */
};

#define STEP_FREE 0xffu

void stepper_init(struct stepper *st, const struct problem *pb);
void stepper_release(struct stepper *st);

/*
 * Steps of all domains for the heavy members of @ph on @unit, best for
 * @objective; @bound has the cost without conflicts, which is never above
 * that with them.  The domains of halted packages keep the top step.
 */
void steps_separable(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		     const struct goal *goal, struct stepper *st, uint8_t *step, struct cost *bound);

/*
 * The same with conflicts.  @evaluations counts.  False if there were too
 * many combinations to try them all: the result is good, not proven.
 */
bool steps_best(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		const struct goal *goal, struct stepper *st, struct scratch *s, uint8_t *step,
		struct cost *cost, uint64_t *evaluations);

/* What is known of threads that are not placed yet. */
struct steps_rest {
	uint64_t sum_ns;     /* their work at the top step */
	uint64_t longest_ns; /* the longest one's */
	uint64_t least_pj;   /* energy above idle that they need at least */
};

/*
 * No placement that extends @load (per unit and step) costs less than this,
 * whatever the steps and conflicts.
 */
void steps_bound(const struct problem *pb, const uint64_t *load, const struct steps_rest *rest,
		 struct cost *bound);

/* What no placement of the heavy members of @ph can be below; no search. */
void steps_relaxed(const struct problem *pb, const struct prob_phase *ph, struct stepper *st,
		   struct cost *bound);

#endif
