/* SPDX-License-Identifier: MIT */
/* A run of the planner: what is asked, the problem that it makes, what is found, and how the search stands. */
#ifndef PERSEUS_PLANNER_SEARCH_STATE_H
#define PERSEUS_PLANNER_SEARCH_STATE_H

#include <pthread.h>

#include "planner/result/outcome.h"
#include "planner/search/finalists.h"

/* How a search goes on; nothing of it is read by what writes plans. */
struct search {
	struct scratch scratch;
	struct finalists finalists;
	uint64_t exact_left;     /* effort that enumerations may still use */
	uint64_t local_left;     /* evaluations that local searches may still use */
	uint32_t threads;        /* the task's, resolved once a search begins */
	struct convergence *log; /* the task's; NULL while several searches would write it */
	/* For progress: the best so far, how much of the islands' budget is used, what they have evaluated. */
	pthread_t owner;
	struct cost now;
	uint32_t done_permille;
	uint64_t island_evaluations;
	struct design lower[PLAN_KINDS]; /* what kinds below found, as designs of this one; empty: nothing */
	enum plan_kind
		same_below; /* kinds below the plan's, up to this one, are the same problem; PLAN_KIND_CALL: none */
	bool aside;         /* a search beside that of the plan: little effort, no islands */
};

struct planner {
	struct task task;
	struct machine machine;
	struct problem problem;
	struct outcome out;
	struct search search;
};

#endif
