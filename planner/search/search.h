/* SPDX-License-Identifier: MIT */
#ifndef PERSEUS_PLANNER_SEARCH_SEARCH_H
#define PERSEUS_PLANNER_SEARCH_SEARCH_H

#include "planner/search/state.h"

/* Look for designs better than the best so far. */
void planner_search(struct planner *p);

#endif
