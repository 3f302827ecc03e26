/* SPDX-License-Identifier: MIT */
/* What the planner is asked for: whose run, on which machine, and what counts. */
#ifndef PERSEUS_PLANNER_RESULT_TASK_H
#define PERSEUS_PLANNER_RESULT_TASK_H

#include "lib/strbuf.h"
#include "planner/cost/baseline.h"
#include "planner/problem/goal.h"
#include "planner/problem/inputs.h"
#include "yaml/model.h"
#include "yaml/plan.h"
#include "yaml/platform.h"

struct blocks;
struct outcome;
struct ranks;

enum planner_method { PLANNER_AUTO, PLANNER_EXACT, PLANNER_GENETIC };

/* What a change must be worth to stay, millionths, if nothing is asked for; all dropped may be worth four times that. */
#define TRIGGER_WORTH 500

/* How the searches went, a line each epoch: CSV, nothing in it that depends on the clock. */
struct convergence {
	struct strbuf text; /* the caller releases it */
	uint32_t searches;  /* so far */
};

/* How a search stands. */
struct progress {
	const struct outcome *out; /* so far, its best design without that of the islands */
	struct cost now;           /* of the best design so far */
	uint32_t done_permille;    /* of the islands' budget, 0 before */
	uint64_t evaluations;
};

struct planner_options {
	struct goal goal;      /* its deadline is set by the planner, from `deadline` */
	struct limit deadline; /* of the whole run */
	struct limit phase_deadline;
	bool exact_off; /* nothing is enumerated */
	uint32_t front; /* make a front of time and energy, of so many points at most; 0: none */
	enum planner_method method;
	enum baseline baseline;
	enum plan_kind kind;
	const struct inputs
		*inputs; /* several models, of which the model is the joined one (inputs.h); may be NULL */
	enum plan_over over;    /* with inputs: which of them counts */
	bool worth_set;         /* or TRIGGER_WORTH counts */
	uint32_t trigger_worth; /* millionths of the objective that a change must be worth to stay */
	uint64_t seed;
	uint64_t evaluations;        /* budget of the search; 0: the default */
	const struct blocks *blocks; /* of the model: simulate on these; may be NULL */
	uint32_t threads;            /* 0: as many as there are processors; the plan is the same */
	const struct ranks *ranks;   /* processes that search together; NULL: one */
	struct convergence *log;     /* NULL: none is kept */
	bool (*stop)(void *ctx);     /* true: return the best so far; asked by any thread; may be NULL */
	/* Now and then, by the caller's thread; may be NULL. */
	void (*progress)(void *ctx, const struct progress *at);
	void *ctx;
};

struct task {
	const struct model *model;       /* not owned; of several inputs the joined one */
	const struct platform *platform; /* not owned */
	struct planner_options opts;
};

#endif
