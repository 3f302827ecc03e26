/* SPDX-License-Identifier: MIT */
/*
 * Goals that no sum over the blocks can express: deadlines, energy-delay,
 * the largest draw.  Each block's front is enumerated (sampled by local
 * search where it is too large); their sums are the front of the whole run,
 * changes left out.  A goal's best is a point of it.  That point is turned
 * into a design: its blocks are enumerated again under the point's times, to
 * have many ways that cost the same, the walk over the blocks takes those
 * that need few changes, and a local search on the goal itself finishes.
 *
 * Changes only add time and energy, so what the front says cannot be had
 * cannot be had with them either: that is the bound.
 */
#ifndef PERSEUS_PLANNER_SEARCH_AIM_H
#define PERSEUS_PLANNER_SEARCH_AIM_H

#include "planner/search/state.h"

/* Does the goal need it? */
bool aim_needed(const struct planner *p);

/* Look for designs for p->opts.goal; set bounds; with opts.front also make the front (points.h). */
void aim_search(struct planner *p);

/* After all searches: the least draw that was found is no cap any longer. */
void aim_end(struct planner *p);

/* The front of time and energy for opts.front, after a search that did not make it. */
void aim_front(struct planner *p);

#endif
