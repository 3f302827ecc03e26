/* SPDX-License-Identifier: MIT */
/*
 * Local search: from a design, take any single change that makes the whole
 * run cheaper, until none does.  Changes: a slot to another unit, all slots
 * of a thread to one unit, two slots exchanged, both sides of a conflict
 * moved together, a frequency step in one epoch or from an epoch on.
 */
#ifndef PERSEUS_PLANNER_HEURISTIC_LOCAL_H
#define PERSEUS_PLANNER_HEURISTIC_LOCAL_H

#include "planner/cost/eval.h"

struct local_options {
	struct goal goal;
	uint32_t first, last;     /* only slots and epochs of these phases are changed */
	bool inside;              /* and of the slots none that reaches beyond */
	uint64_t max_evaluations; /* stop after as many, in members moved */
	bool (*stop)(void *ctx);  /* asked after each sweep; may be NULL */
	void *ctx;
};

/* Improve @d in place; @ev holds its cost afterwards; @evaluations is added to. */
void local_search(const struct problem *pb, struct design *d, const struct local_options *opts,
		  struct scratch *s, struct evaluation *ev, uint64_t *evaluations);

#endif
