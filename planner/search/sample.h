/* SPDX-License-Identifier: MIT */
/* Fronts of blocks that are too large to enumerate: local searches for several goals. */
#ifndef PERSEUS_PLANNER_SEARCH_SAMPLE_H
#define PERSEUS_PLANNER_SEARCH_SAMPLE_H

#include "planner/exact/exact.h"
#include "planner/search/state.h"

/* Add to the front of block @b what local searches from designs made by rule find. */
void sample_front(struct planner *p, uint32_t b, struct block_front *f);

#endif
