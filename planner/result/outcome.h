/* SPDX-License-Identifier: MIT */
/*
 * What the planner found: the design and what it costs, the bound, the
 * verdict.  Searches fill it; plans, reasons and reports are read from it.
 */
#ifndef PERSEUS_PLANNER_RESULT_OUTCOME_H
#define PERSEUS_PLANNER_RESULT_OUTCOME_H

#include "planner/cost/eval.h"
#include "planner/exact/front.h"
#include "planner/result/task.h"
#include "planner/sim/sim.h"

/* Why the plan is the baseline itself. */
enum planner_verdict {
	PLANNER_GAIN,       /* it is not: the plan is better */
	PLANNER_NO_GAIN,    /* no better plan was found */
	PLANNER_NOISE,      /* the gain is below the noise of the recorded runs */
	PLANNER_IMPOSSIBLE, /* neither the plan nor the baseline keeps to the deadline and the cap */
	PLANNER_PACE,       /* for time: a scheduler that may move threads needs no longer (pace.h) */
	PLANNER_SYSTEM,     /* the baseline `os` needs no more of what is to be made small */
	PLANNER_SIMULATED,  /* run block by block, no finalist is as good as the baseline */
	PLANNER_APART,      /* fluid model and block simulator differ too much to decide anything */
};

/* Fluid model and block simulator may differ by this factor; beyond it neither says anything. */
#define PLANNER_APART_FACTOR 1.3

/* What plans of one kind reach. */
struct kind_reach {
	bool known;
	uint64_t time_ns, energy_pj;
	uint32_t triggers;
};

/* A point of the front that can be carried out. */
struct front_plan {
	struct design design;
	struct cost cost; /* changes counted */
	bool knee;        /* where more time begins to buy less */
	bool nothing;     /* it sets nothing: no placement needs less of anything than the system's own */
	uint32_t starts, triggers; /* that its plan sets; for callers */
};

struct outcome {
	const struct task *task;
	const struct machine *machine;
	const struct problem *problem;
	struct goal
		goal; /* the task's, its deadline resolved; of a point of the front while its plan is made */
	struct design base, best;
	struct evaluation base_ev, best_ev; /* without and with prices of changes */
	struct evaluation system_ev;        /* of the baseline `os` */
	struct sim_result base_sim, sim;    /* of base and best */
	struct cost bound;
	struct cost worst_bound;     /* of the worst of several inputs (worst.h) */
	unsigned __int128 bound_edp; /* of energy x delay, 0: not known */
	bool impossible;             /* proven: nothing keeps to the deadlines and the cap */
	struct front front;          /* of the run, changes left out; with opts.front */
	double front_error;          /* share by which points of it may be better at most */
	bool front_proven;
	struct front_plan *plans; /* of the front, by time; changes counted */
	uint32_t n_plans;
	bool proven;  /* the bound is the optimum of every phase by enumeration */
	bool stopped; /* the search was interrupted; of the searching threads any sets it */
	const char *method;
	uint64_t evaluations;
	enum planner_verdict verdict;
	double gain;         /* of the best plan found, share of the baseline */
	double noise;        /* share of the run time that the plan does not take away; 0 with one run */
	double noise_all;    /* ... of all of it, as recorded */
	uint64_t pace_ns;    /* expected of the operating system, see pace.h */
	bool replaced;       /* the baseline asked for was the best placement: compared with `os` instead */
	enum baseline asked; /* valid if replaced */
	bool place_main;     /* main is pinned */
	struct kind_reach reach[PLAN_KINDS];
	uint32_t dropped; /* changes that the minimiser took out */
};

/* Is it the worst of several inputs that counts? */
bool outcome_is_worst(const struct outcome *o);

/* What a design is judged by: all it costs, or what the worst input does (weights all 1). */
struct cost outcome_cost(const struct outcome *o, const struct evaluation *ev);

/*
 * How many times the longer of what the fluid model and the block simulator say is the
 * shorter: of baseline and best design the larger of both factors, 1 or more; *base says
 * whose it is.
 */
double outcome_apart(const struct outcome *o, bool *base);

#endif
