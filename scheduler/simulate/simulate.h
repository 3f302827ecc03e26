/* SPDX-License-Identifier: MIT */
/* A made-up cluster: tasks arrive, take what they take and not what was predicted, fail, and are scheduled. */
#ifndef PERSEUS_SCHEDULER_SIMULATE_SIMULATE_H
#define PERSEUS_SCHEDULER_SIMULATE_SIMULATE_H

#include "scheduler/work/workflow.h"

enum policy {
	POLICY_FIFO,    /* the first task in the queue waits until it can start, and all others with it */
	POLICY_EASY,    /* others may start meanwhile if that does not make it later, as predicted */
	POLICY_HEFT,    /* a list by HEFT, anew at each event */
	POLICY_GENETIC, /* the genetic algorithm, which goes on with its schedule at each event */
	POLICY_SEARCH,  /* local search, which does so as well */
	POLICIES
};

/* "fifo", "backfill", "heft", "genetic", "search"; NULL behind the last. */
extern const char *const policies[];

/* A workload: tasks by rising release, which nobody knows of before it. */
struct load {
	struct workflow w; /* predictions; settled */
	double *takes;     /* what each task takes in truth, on nodes of speed 1 */
	double *fails;     /* part of it at which it fails once and has to be run again; 0: it does not */
	size_t idle;       /* jobs of a log that never ran and are left out */
	size_t wide;       /* ... that had more than WORK_NODES processors */
};

/* @tasks tasks on @nodes nodes; predictions are off by @error (0.2: 20 %) on average; @fail: part of the tasks. */
void load_make(struct load *l, uint64_t seed, size_t tasks, size_t nodes, double error, double fail);

/*
 * At most @most jobs of a log in the standard workload format (SWF): submission, run time, processors, requested time
 * as prediction.  The cluster has as many nodes as the widest job, or @nodes if that is more.  -EINVAL with the line:
 * it is not of that format, or out of order.
 */
int load_read(struct load *l, const char *text, size_t len, const char *name, size_t most, size_t nodes,
	      struct err *err);
void load_release(struct load *l);

struct simulated {
	double makespan, wait; /* end of all; mean time from release to start */
	double idle;           /* part of the nodes' time until then */
	size_t ended, runs;    /* tasks; runs of them, with those that failed */
};

/* @effort: of the policies that search, at each event. */
struct simulated simulate(const struct load *l, enum policy policy, uint64_t seed, uint64_t effort);

#endif
