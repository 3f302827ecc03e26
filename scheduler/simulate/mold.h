/* SPDX-License-Identifier: MIT */
/*
 * The case study of seed 002 (chapter 3, appendix G), by its shape: registrations whose times lie in four bands over a
 * factor of 50 and which run on one node or on several, faster by less than these are more, on a cluster of equal nodes.
 */
#ifndef PERSEUS_SCHEDULER_SIMULATE_MOLD_H
#define PERSEUS_SCHEDULER_SIMULATE_MOLD_H

#include "scheduler/simulate/simulate.h"

enum mold_load {
	MOLD_ATLAS,        /* none waits for another one: table G.1 */
	MOLD_REGISTRATIONS /* shorter ones, of which a fifth waits for another one: table G.2 */
};

enum mold_policy {
	MOLD_SEQUENTIAL, /* FIFO, each on one node */
	MOLD_PARALLEL,   /* FIFO, each on all nodes */
	MOLD_BLIND,      /* planned, each by the mean of those that ended */
	MOLD_PROBED, /* planned; each waits for a small run of it, which is planned as well and foretells it */
	MOLD_PERFECT, /* planned by the truth, which costs nothing */
	MOLD_CHOSEN,  /* of the first four what ends earliest for made-up loads of this kind */
	MOLD_POLICIES
};

/* "sequential", "parallel", "blind", "probed", "perfect", "chosen"; NULL behind the last. */
extern const char *const mold_policies[];

struct mold_case {
	enum mold_load load;
	size_t tasks, nodes;
	double error; /* of a prediction from a probe, on average: 0.2 is 20 % */
	double cost;  /* of a probe, of what the task takes on one node */
};

/* How much faster a registration is on @nodes: table 3.3, between its rows a line; 24 nodes and more are as 24. */
double mold_speedup(size_t nodes);

/* Load number @seed of the case by @policy; *@done is what MOLD_CHOSEN chose, else @policy. */
struct simulated mold_run(const struct mold_case *m, uint64_t seed, enum mold_policy policy,
			  enum mold_policy *done);

#endif
