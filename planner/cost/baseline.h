/* SPDX-License-Identifier: MIT */
/*
 * What a plan is compared with, and places to start a search from.  All at
 * the top step, and without prices: the program as it is makes no changes.
 *
 *   spread  threads in the order in which they are made, each to the core
 *	     that the fewest of those before it use which have work in a phase
 *	     in which it has, too; of several the first, dealt alternately from
 *	     the packages.  Who never has work to speak of is with its creator
 *   pack    the same, one package after the other
 *   os      what a fair scheduler tends to: in each phase the longest thread
 *	     first, to the core with the least work, packages alternately; it
 *	     moves threads, so who meets whom at a line is chance (meet.h)
 *   random  each thread on a core drawn by the seed
 *
 * They are the same whatever kind of plan is compared with them.
 */
#ifndef PERSEUS_PLANNER_COST_BASELINE_H
#define PERSEUS_PLANNER_COST_BASELINE_H

#include "planner/cost/eval.h"

enum baseline { BASELINE_SPREAD, BASELINE_PACK, BASELINE_OS, BASELINE_RANDOM, BASELINE_N };

/* Name of a baseline; the enum of a name, -1 if there is none. */
const char *baseline_name(enum baseline kind);
int baseline_find(const char *name);

/* Fill @d. */
void baseline_make(const struct problem *pb, enum baseline kind, uint64_t seed, struct design *d);

/*
 * Fill @d with the longest threads first, each to the unit with the least
 * work among the first @n_units; top steps.  @keep_fixed: threads that cannot
 * be planned stay where @d has them.
 */
void baseline_balance(const struct problem *pb, uint32_t n_units, bool keep_fixed, struct design *d);

/*
 * Fill @d with threads that conflict side by side: each thread, then the one
 * it conflicts with most, dealt one to a unit package by package (and round
 * again); with @share the two go on one unit.  Top steps; fixed slots stay.
 */
void baseline_cluster(const struct problem *pb, bool share, struct design *d);

/* SHA-256 of the cores by thread and phase: two baselines with one hash are the same; @hex has 65 bytes. */
void baseline_hash(const struct problem *pb, const struct design *d, char *hex);

#endif
