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
#ifndef PERSEUS_PLANNER_EXACT_STEPS_H
#define PERSEUS_PLANNER_EXACT_STEPS_H

#include "planner/cost/eval.h"
#include "planner/exact/front.h"

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
	bool *useless;  /* steps that are dominated in this phase */
};

#define STEP_FREE 0xffu

void stepper_init(struct stepper *st, const struct problem *pb);
void stepper_release(struct stepper *st);

/*
 * Which steps, of all, the heavy members of @ph can do without where nobody is
 * in the way of others: a faster step draws no more when idle, and each
 * member's work needs no more above that.  Exact in the evaluator's integers, so no
 * optimum changes.  (A step that needs more energy a cycle is not dominated if
 * its idle watts are lower: it helps cores that have time to spare.)  None where
 * a clock domain spans packages, which is tried at every step.
 */
void steps_useless(const struct machine *m, const struct prob_phase *ph, bool *useless);

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

/* The front of one phase under one placement: the steps of the point with left = i stand at step + i * n_domains. */
struct step_set {
	struct front front;
	uint8_t *step;
	uint32_t n, cap; /* sets of steps */
};

/* An empty set; @peak: of time and largest draw instead of time and energy. */
void step_set_init(struct step_set *set, bool peak);
void step_set_release(struct step_set *set);

/*
 * All that the heavy members of @ph on @unit can reach within the phase's
 * deadline and the cap, whatever the steps.  False if there were too many
 * combinations to try them all.
 */
bool steps_front(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		 struct stepper *st, struct scratch *s, struct step_set *set, uint64_t *evaluations);

/* What is known of threads that are not placed yet. */
struct steps_rest {
	uint64_t sum_ns;     /* their work at the top step */
	uint64_t longest_ns; /* the longest one's */
	uint64_t serial_ns;  /* what everybody, placed or not, does under one lock */
	uint64_t least_pj;   /* energy above idle that they need at least */
};

/*
 * No placement that extends @load (per unit and step) costs less than this,
 * whatever the steps and conflicts.
 */
void steps_bound(const struct problem *pb, const uint64_t *load, const struct steps_rest *rest,
		 struct cost *bound);

#endif
