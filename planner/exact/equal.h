/* SPDX-License-Identifier: MIT */
/* Blocks that are the same problem: what was found for one holds for the other. */
#ifndef PERSEUS_PLANNER_EXACT_EQUAL_H
#define PERSEUS_PLANNER_EXACT_EQUAL_H

#include "planner/exact/exact.h"

/*
 * Is block @b the same as @a slot for slot, phase for phase, changes left out?
 * Blocks with threads that stand still are never called the same.
 */
bool equal_blocks(const struct problem *pb, uint32_t a, uint32_t b);

/* The candidates of a block equal to @b, for @b; released by candidates_release(). */
void equal_copy(const struct problem *pb, uint32_t b, const struct goal *goal, const struct candidates *from,
		struct candidates *to);

#endif
