/* SPDX-License-Identifier: MIT */
/* The points of a front that plans can be made of. */
#ifndef PERSEUS_PLANNER_SEARCH_POINTS_H
#define PERSEUS_PLANNER_SEARCH_POINTS_H

#include "planner/result/outcome.h"

/* Do the baseline, or the system if nothing is set, need no more of time and energy than @cost? */
bool points_beaten(const struct outcome *o, const struct cost *cost);

/* Add a design to the front's plans unless another is no worse in time and energy. */
void points_add(struct outcome *o, const struct design *d, const struct cost *cost);

/* The plan that sets nothing is the only point if there is no other. */
void points_close(struct outcome *o);

#endif
