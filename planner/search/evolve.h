/* SPDX-License-Identifier: MIT */
/* The islands as a stage of the planner: budgets, when to stop, how it goes. */
#ifndef PERSEUS_PLANNER_SEARCH_EVOLVE_H
#define PERSEUS_PLANNER_SEARCH_EVOLVE_H

#include "planner/search/state.h"

/* At the beginning of planner_search(): who is the thread that may report progress. */
void evolve_begin(struct planner *p);

/*
 * For the `stop` of all searches, with a struct planner as @ctx: was the
 * search interrupted?  Any thread may ask; the first one reports progress.
 */
bool evolve_stop(void *ctx);

/* Was any process interrupted?  All must ask at the same place. */
bool evolve_agree(struct planner *p);

/* Improve @d by the islands. */
void evolve(struct planner *p, struct design *d);

/* A line of the convergence log: how things stand before and without the islands. */
void evolve_log(struct planner *p);

/* At the end of planner_search(): after an interruption all processes take the first one's best design. */
void evolve_end(struct planner *p);

#endif
