/* SPDX-License-Identifier: MIT */
/*
 * Islands of the genetic algorithm: as many whatever the threads and
 * processes, each with its share of the work.  After each epoch (of the
 * search) the best of each goes to the next in a ring.  Islands do not meet
 * within an epoch, and what they hand over is taken in the order of their
 * numbers, so the result is the same for any number of threads and processes.
 */
#ifndef PERSEUS_PLANNER_HEURISTIC_ISLANDS_H
#define PERSEUS_PLANNER_HEURISTIC_ISLANDS_H

#include "lib/strbuf.h"
#include "planner/heuristic/genetic.h"
#include "planner/heuristic/ranks.h"

#define ISLANDS 16

/* How the search stands after an epoch. */
struct islands_state {
	uint32_t epoch;
	struct cost best;
	struct genetic_counts counts; /* sums; of diversity and credit the mean */
	uint64_t max_work;
	bool stopped; /* by stop(), of whichever process */
};

struct islands_options {
	struct goal goal;
	uint64_t seed;
	uint64_t max_work;         /* of all islands, see genetic_counts() */
	uint32_t patience;         /* epochs without anything better after which it ends; 0: none */
	uint32_t threads;          /* at least 1 */
	struct cost floor;         /* nothing costs less: a design that costs as little ends it */
	const struct ranks *ranks; /* NULL: one process */
	bool (*stop)(void *ctx);   /* asked by any thread; may be NULL */
	void (*epoch)(void *ctx, const struct islands_state *now); /* after each epoch; may be NULL */
	void *ctx;
};

/*
 * Improve @best: the result is never worse than what it holds at the call.
 * The last state is in @state.
 */
void islands_search(const struct problem *pb, const struct islands_options *opts, struct design *best,
		    struct islands_state *state);

#endif
