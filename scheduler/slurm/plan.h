/* SPDX-License-Identifier: MIT */
/* What the parts of a run on Slurm share. */
#ifndef PERSEUS_SCHEDULER_SLURM_PLAN_H
#define PERSEUS_SCHEDULER_SLURM_PLAN_H

#include "lib/read/names.h"
#include "scheduler/slurm/run.h"

enum stage {
	STAGE_NEW, /* not handed in */
	STAGE_WAITS,
	STAGE_RUNS,
	STAGE_DONE,
	STAGE_FAILED,
	STAGE_CANCELLED, /* by itself, as what it waits for did not end well; or by somebody */
	STAGE_SKIPPED,
	STAGE_LOST,
};

struct task_now {
	enum stage stage;
	uint64_t id;    /* of its job; 0: none is known */
	uint64_t since; /* CLOCK_MONOTONIC in ns, when it was seen to run first */
	bool seen;      /* by the last look */
};

struct run {
	const struct workflow *w;
	const struct slurm_options *o;
	struct journal j;
	struct task_now *now; /* of each task */
	struct names nodes;   /* of the workflow */
	struct slurm_nodes slurm;
	bool *usable, *before; /* of each node: as Slurm says; as it was at the last plan */
	bool looked;           /* .before is known */
	bool waiting;          /* for nodes, or for Slurm: that was said */
};

/* The next node in *@nodes, "a,b" of a plan, which moves on; false: that was all.  NAMES_NONE: it is none of r->w. */
bool run_next_node(const struct run *r, const char **nodes, size_t *node);

/* Say what happens. */
void run_say(const struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Ask which nodes can be used. */
int run_look_at_nodes(struct run *r, struct err *err);

/* Ask how jobs are, and write down which have ended. */
int run_look_at_jobs(struct run *r, struct err *err);

/* Hold all jobs that wait, or let them go; their number. */
int run_hold(const struct run *r, bool hold, size_t *n, struct err *err);

/* Make a plan if there is none, or if nodes went or came; it is then in r->j. */
int run_plan(struct run *r, struct err *err);

/* Bring jobs that wait to the nodes and into the order of the plan. */
int run_move(struct run *r, struct err *err);

/* Hand in what has not been. */
int run_submit(struct run *r, struct err *err);

#endif
