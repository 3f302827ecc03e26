/* SPDX-License-Identifier: MIT */
/*
 * From candidates for each block to a design for the run: a search forward
 * over the blocks that keeps the best partial designs.  Each candidate is
 * turned, by an exchange of equal cores, to where it needs the fewest moves.
 */
#ifndef PERSEUS_PLANNER_PATH_H
#define PERSEUS_PLANNER_PATH_H

#include "planner/exact.h"

/*
 * @blocks: candidates of every block (those without any are left as @start
 * has them).  The best design found goes to @out; @start gives seats that
 * belong to no block.  @evaluations counts phases and passages tried.
 */
void path_search(const struct problem *pb, const struct candidates *blocks, const struct design *start,
		 const struct goal *goal, struct scratch *s, struct design *out, uint64_t *evaluations);

#endif
