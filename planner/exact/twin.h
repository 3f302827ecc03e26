/* SPDX-License-Identifier: MIT */
/* Blocks that are the same problem: what was found for one holds for the other. */
#ifndef PERSEUS_PLANNER_EXACT_TWIN_H
#define PERSEUS_PLANNER_EXACT_TWIN_H

#include "planner/exact/exact.h"

/*
 * Is block @b the same as @a slot for slot, phase for phase, changes left out?
 * Blocks with threads that stand still are never called the same.
 */
bool twin_blocks(const struct problem *pb, uint32_t a, uint32_t b);

/* The candidates of a twin of block @b, for @b; released by candidates_release(). */
void twin_copy(const struct problem *pb, uint32_t b, const struct goal *goal, const struct candidates *from,
	       struct candidates *to);

#endif
