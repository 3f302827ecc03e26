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
#include "planner/baseline.h"
#include "yaml/model.h"
#include "yaml/plan.h"
#include "yaml/platform.h"

enum planner_method { PLANNER_AUTO, PLANNER_EXACT, PLANNER_GENETIC };

struct planner_options {
	struct goal goal;
	enum planner_method method;
	enum baseline baseline;
	uint64_t seed;
	uint64_t evaluations;    /* budget of the search; 0: the default */
	bool (*stop)(void *ctx); /* true: return the best so far; may be NULL */
	void *ctx;
};

/* Why the plan is the baseline itself. */
enum planner_verdict {
	PLANNER_GAIN,    /* it is not: the plan is better */
	PLANNER_NO_GAIN, /* no better plan was found */
	PLANNER_NOISE,   /* the gain is below the noise of the recorded runs */
	PLANNER_PACE,    /* for time: a scheduler that may move threads needs no longer (pace.h) */
};

struct planner {
	struct planner_options opts;
	const struct model *model;
	const struct platform *platform;
	struct machine machine;
	struct problem problem;
	struct scratch scratch;
	struct design base, best;
	struct evaluation base_ev, best_ev; /* without and with prices of changes */
	struct cost bound;
	bool proven;  /* the bound is the optimum of every phase by enumeration */
	bool stopped; /* the search was interrupted */
	const char *method;
	uint64_t evaluations;
	uint64_t exact_left; /* effort that enumerations may still use */
	uint64_t local_left; /* evaluations that local searches may still use */
	enum planner_verdict verdict;
	double gain;         /* of the best plan found, share of the baseline */
	double noise;        /* share of the run time; 0 with one run */
	uint64_t pace_ns;    /* expected of the operating system, see pace.h */
	bool replaced;       /* the baseline asked for was the best placement: compared with `os` instead */
	enum baseline asked; /* valid if replaced */
	bool place_main;     /* main is pinned */
	uint32_t dropped;    /* changes that the minimiser took out */
};

/*
 * Search.  @model and @platform must outlive @p.  -EINVAL: the model or the
 * platform contradicts itself; -ENOTSUP: the objective needs watts that the
 * platform does not have; -ERANGE: too long a run; -EPROTO: a self-check of
 * the evaluator failed.
 */
int planner_run(struct planner *p, const struct model *model, const struct platform *platform,
		const struct planner_options *opts, struct err *err);

/*
 * Write the result as a plan, which the caller releases by plan_release().
 * -E2BIG: more triggers than can be numbered; @plan is empty then.
 */
int planner_emit(struct planner *p, struct plan *plan, struct err *err);

/* Free everything inside. */
void planner_release(struct planner *p);

/* Parts of planner_run() and planner_emit(). */

/* Look for designs better than the best so far (search.c). */
void planner_search(struct planner *p);

/* Set the verdict (judge.c). */
void planner_judge(struct planner *p);

/* -EPROTO if the state times do not add up, or the plan is below the bound (judge.c). */
int planner_self_check(struct planner *p, struct err *err);

/* Is the baseline the best placement, and worth setting although the system is free to leave it (judge.c)? */
bool planner_needs_setting(const struct planner *p);

/* Take changes out of the best design that are worth less than 0.05 % (minimise.c). */
void planner_minimise(struct planner *p);

/* Name equal cores in the order of the threads (tidy.c). */
void planner_tidy(struct planner *p);

/* A sentence about the platform's figure that the gain depends on, or NULL; the caller frees it (sensitivity.c). */
char *planner_turns_on(struct planner *p);

/*
 * Why a thread runs where it runs, and the evidence (comma separated ids or
 * NULL); the caller frees both (reason.c).
 */
char *planner_thread_reason(struct planner *p, uint32_t seat, char **evidence);

/* Why domains get the steps of an era. */
char *planner_step_reason(struct planner *p, uint32_t era, char **evidence);

#endif
