/* SPDX-License-Identifier: MIT */
/*
 * The plan whose worst input is best.  That is no sum, so it is searched by
 * sums: each round weighs the inputs (repeats and passages count so often),
 * and no design's worst input can be below the weighted optimum divided by
 * all weights.  Weights go to the inputs that came out worst.  All rounds'
 * designs are judged by their worst input; single changes that help it finish.
 */
#ifndef PERSEUS_PLANNER_SEARCH_WORST_H
#define PERSEUS_PLANNER_SEARCH_WORST_H

#include "planner/search/state.h"

/* planner_search() for one model or the mean of several; for the worst, rounds of it. */
void worst_search(struct planner *p);

#endif
