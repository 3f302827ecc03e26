/* SPDX-License-Identifier: MIT */
/* What the stages of the search share: starting points, budgets, the best so far. */
#ifndef PERSEUS_PLANNER_SEARCH_STAGE_H
#define PERSEUS_PLANNER_SEARCH_STAGE_H

#include "planner/heuristic/local.h"
#include "planner/search/state.h"

/* A block with more is not enumerated, and only its best starts are improved. */
#define SEARCH_MANY_SLOTS 24

/* Evaluations that one of @parts local searches may use, of what is left. */
uint64_t search_share(const struct planner *p, uint64_t parts);

/* A local search that is counted; @d and @ev as there. */
void search_improve(struct planner *p, struct design *d, const struct local_options *opts,
		    struct evaluation *ev);

/* Number @i of a small set of designs made by rule; false after the last one. */
bool search_start(const struct planner *p, uint32_t i, struct design *d);

/* The most that changes into the phases of block @b can cost, ns. */
uint64_t search_margin_ns(const struct planner *p, uint32_t b);

/* Finish @d by local search and keep it if it is the best so far. */
void search_finish(struct planner *p, struct design *d);

#endif
