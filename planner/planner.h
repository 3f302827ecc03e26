/* SPDX-License-Identifier: MIT */
/*
 * The planner: where each thread should run, and at which frequency steps,
 * so that a run takes least time or energy.
 *
 * Blocks of phases that are small enough are enumerated; a walk over the
 * blocks prices the changes between them; a local search over the whole run
 * finishes.  What is too large goes to the genetic algorithm.  The result is
 * never worse than the baseline under the same evaluator, and is the same
 * for the same input on every machine.
 */
#ifndef PERSEUS_PLANNER_PLANNER_H
#define PERSEUS_PLANNER_PLANNER_H

#include "lib/err.h"
#include "planner/search/state.h"

/*
 * Search.  @model and @platform must outlive @p.  -EINVAL: the model or the
 * platform contradicts itself; -ENOTSUP: the objective needs watts that the
 * platform does not have; -ERANGE: too long a run; -EPROTO: a self-check of
 * the evaluator failed.
 */
int planner_run(struct planner *p, const struct model *model, const struct platform *platform,
		const struct planner_options *opts, struct err *err);

/* Free everything inside (prepare.c). */
void planner_release(struct planner *p);

/* Parts of planner_run(). */

/* Everything up to the search: problem, baseline, limits; errors as planner_run(), @p is empty then (prepare.c). */
int planner_prepare(struct planner *p, const struct model *model, const struct platform *platform,
		    const struct planner_options *opts, struct err *err);

/*
 * Write plan @i of the front as planner_emit() does, as if its time had been
 * the deadline and energy the objective; the best design stays.  Its objective
 * is the one asked for if it needs less of that than the baseline does, else
 * what it needs less of, time or energy (pareto.c).  Errors also as sim_run().
 */
int planner_front_plan(struct planner *p, uint32_t i, struct plan *plan, struct err *err);

/* Set the verdict (judge.c). */
void planner_judge(struct planner *p);

/*
 * Simulate the baseline and the best design; if the simulator finds the best
 * worse, take the next finalist that it does not find worse, or set the
 * verdict PLANNER_SIMULATED; PLANNER_APART where it and the fluid model are too
 * far apart for any other (simulate.c).  Errors as sim_run().
 */
int planner_simulate(struct planner *p, struct err *err);

/* Simulate the best design, to p->sim (simulate.c).  Errors as sim_run(). */
int planner_simulate_best(struct planner *p, struct err *err);

/*
 * For the verdict PLANNER_IMPOSSIBLE: what cannot be kept to, by how much,
 * and what is known to be impossible, in @err; returns -ERANGE (limits.c).
 */
int planner_impossible(const struct outcome *o, struct err *err);

/* Resolve deadlines and the cap, now that the baseline is known (limits.c). */
void planner_set_limits(struct planner *p);

/* -EPROTO if the state times do not add up, or the plan is below the bound (judge.c). */
int planner_self_check(struct planner *p, struct err *err);

/* Is the baseline the best placement, and worth setting although the system is free to leave it (judge.c)? */
bool planner_needs_setting(const struct planner *p);

/* Take changes out of the best design that are worth less than opts.trigger_worth (minimise.c). */
void planner_minimise(struct planner *p);

/* Does main's place matter to the goal, so that it must be pinned?  Sets place_main (minimise.c). */
void planner_judge_main(struct planner *p);

/* Name equal cores in the order of the threads (canonical.c). */
void planner_make_canonical(struct planner *p);

#endif
