/* SPDX-License-Identifier: MIT */
/*
 * A plan's figures, computed again from plan, model and platform alone.
 *
 * The model of time and power is the one docs/design.md section 8 states; each
 * function here is one term of it.  All figures are whole: ns, mW, pJ; rounding
 * is down unless a comment says otherwise, so results are equal to the last unit.
 */
#ifndef PERSEUS_VERIFY_RECOMPUTE_H
#define PERSEUS_VERIFY_RECOMPUTE_H

#include "verify/model.h"
#include "verify/plan.h"
#include "verify/platform.h"

typedef unsigned __int128 wide;

/* A thread's work in a span of phases; those that matter there are heavy. */
struct member {
	uint32_t thread;
	bool heavy;
	uint64_t cycles, memory_ns, top_ns; /* time at the top step */
	const struct vmodel_work *entry;    /* its first work in the span */
};

/* Phases of the model that the plan joins into one; members by work, the most first. */
struct span {
	uint32_t first, last;
	uint64_t repeats;
	struct member *member;
	size_t n, n_heavy;
};

struct vcost {
	uint64_t time, energy, draw; /* ns, pJ, mW */
};

/* Where everything is at a moment of the run, and what was found. */
struct run {
	const struct vplan *plan;
	const struct vmodel *model;
	const struct vplatform *platform;
	struct findings *list;
	struct span *span;               /* one for each phase of the plan */
	uint32_t *core;                  /* by thread: index of a core; VPLATFORM_NONE: not started */
	uint32_t *step;                  /* by frequency domain */
	const struct vplan_place *place; /* of threads that no trigger places; by thread, then phase */
	size_t n_places;
	bool acts;   /* the plan's triggers act, and changes cost */
	bool base;   /* the baseline's run, of which the plan tells no phases */
	bool moved;  /* the system moves the threads: who meets whom is chance */
	bool *used;  /* by trigger: it acted */
	wide states; /* of the last phase evaluated: busy + idle + halted time of all units, ns */
};

/* Told the cost of each phase and the passage into it: on the first turn, and on one of all @later ones. */
typedef void replay_each(struct run *x, uint32_t phase, bool later, const struct vcost *c,
			 uint64_t passage_ns, void *ctx);
void replay(struct run *x, replay_each *each, void *ctx);

/* Time of a member's work at a step, ns: cycles / frequency, rounded up, + memory time. */
uint64_t work_ns(const struct vplatform *f, const struct member *m, size_t step);

/* Phases @first to @last as one; false if the model has no such phases. */
bool span_make(const struct vmodel *m, const struct vplatform *f, uint32_t first, uint32_t last,
	       struct span *s);

/* One occurrence of @s with threads and steps as they are. */
struct vcost fluid_cost(struct run *x, const struct span *s);

/* Does package @k halt when it has no work, how many units has it, and what does it draw then, mW? */
bool package_halts(const struct vplatform *f, uint32_t k, uint64_t *units, uint64_t *halt_mw);

/* ps that each access of side @own costs more because @other uses the line from that far. */
uint64_t line_price(const struct vplatform *f, int distance, uint32_t own, uint64_t own_gap, uint32_t other,
		    uint64_t other_gap);

/* No placement and no steps take less for one occurrence: planner/relax.h states the formula. */
struct vcost relaxed_cost(const struct vplatform *f, const struct span *s);

/* Times and energies of a whole run: ns, pJ, the largest draw in mW. */
struct result {
	struct vcost base, plan, relaxed;
};

/* What the plan's figures should be: whatever differs, or cannot be followed, is a line in @list. */
void recompute(const struct vplan *p, const struct vmodel *m, const struct vplatform *f, struct result *out,
	       struct findings *list);

#endif
