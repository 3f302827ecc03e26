/* SPDX-License-Identifier: MIT */
/*
 * What the operating system's scheduler can be expected to need: it may move
 * threads at any moment, so no core idles while threads wait, which no fixed
 * placement can do.  A plan for time is only worth its triggers if it beats
 * that, too.
 *
 * A phase lasts as long as its longest thread or as all work dealt evenly to
 * the cores.  The scheduler does not know which threads fight for a line:
 * two of n busy threads run at the same moment on different ones of c cores
 * with probability min(1, (c - 1) / (n - 1)), and then pay the price of the
 * mean distance.
 */
#ifndef PERSEUS_PLANNER_PACE_H
#define PERSEUS_PLANNER_PACE_H

#include "planner/problem.h"

/* Time of the whole run at the top step, ns. */
uint64_t pace_ns(const struct problem *pb);

#endif
