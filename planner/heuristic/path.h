/* SPDX-License-Identifier: MIT */
/*
 * From candidates for each block to a design for the run: a search forward
 * over the blocks that keeps the best partial designs.  Each candidate is
 * turned, by an exchange of equal cores, to where it needs the fewest moves.
 */
#ifndef PERSEUS_PLANNER_HEURISTIC_PATH_H
#define PERSEUS_PLANNER_HEURISTIC_PATH_H

#include "planner/exact/exact.h"

struct path_options {
	struct goal goal;
	/* Of each block, what the blocks after it are expected to cost, so that a part is judged by a goal of the whole; or NULL. */
	const struct cost *rest;
	bool own_steps; /* each block with its candidate's steps; else it may also keep those before it */
	bool (*stop)(void *ctx); /* once it says so, each block gets its best; may be NULL */
	void *ctx;
};

/*
 * @blocks: candidates of every block (those without any are left as @start
 * has them).  The best design found goes to @out; @start gives slots that
 * belong to no block.  @evaluations counts phases and passages tried.  Long
 * runs get fewer candidates and partial designs, so that the effort does not
 * grow with their square.
 */
void path_search(const struct problem *pb, const struct candidates *blocks, const struct design *start,
		 const struct path_options *opts, struct scratch *s, struct design *out,
		 uint64_t *evaluations);

#endif
