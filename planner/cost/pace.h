/* SPDX-License-Identifier: MIT */
/*
 * What the operating system's scheduler can be expected to need: it may move
 * threads at any moment, so no core idles while threads wait, which no fixed
 * placement can do.  A plan for time is only worth its triggers if it beats
 * that, too.
 *
 * A phase lasts as long as its longest thread or as all work dealt evenly to
 * the cores.  The scheduler does not know which threads fight for a line: that
 * is chance (meet_by_chance()).
 */
#ifndef PERSEUS_PLANNER_COST_PACE_H
#define PERSEUS_PLANNER_COST_PACE_H

#include "planner/cost/eval.h"

/* Time of the whole run at the top step, ns. */
uint64_t pace_ns(const struct problem *pb);

/*
 * Fraction, 0 to 1, of the contention expected under the scheduler that remains under
 * @d, since it does not bring the threads together; 1 if there is none.
 */
double contention_left(const struct problem *pb, const struct design *d);

#endif
