/* SPDX-License-Identifier: MIT */
/*
 * All placements of a block's seats, each with its best frequency steps, up
 * to exchanges of equal cores: depth first, cut where a lower bound shows
 * that nothing below can matter.
 */
#ifndef PERSEUS_PLANNER_EXACT_H
#define PERSEUS_PLANNER_EXACT_H

#include "planner/steps.h"

/* A way to carry out a block; units as first met, to be exchanged at will. */
struct candidate {
	struct cost cost; /* all repeats of all its phases, light members and changes left out */
	uint16_t *unit;   /* per seat of the block */
	uint8_t *step;    /* per phase of the block and domain */
};

struct candidates {
	struct candidate *at; /* the best first */
	uint32_t n, cap;
	bool proven;       /* nothing was left out that could be better than at[0] */
	struct cost bound; /* no way to carry out the block costs less */
	uint64_t evaluations;
	uint64_t work; /* effort spent */
};

struct exact_options {
	struct goal goal;
	uint32_t keep;           /* candidates to keep, at least 1 */
	uint64_t margin;         /* those worse by more than this are of no interest: ns or pJ */
	uint64_t max_work;       /* effort, about 0.1 us each; more: not proven */
	bool (*stop)(void *ctx); /* asked now and then; true ends the search; may be NULL */
	void *ctx;
};

/*
 * Search block @b.  Seats of threads that cannot be planned stand where
 * @fixed has them.  If the search was cut off, the candidates found so far
 * are kept and the bound is that of the relaxed problem.
 */
void exact_search(const struct problem *pb, uint32_t b, const struct design *fixed,
		  const struct exact_options *opts, struct scratch *s, struct candidates *out);

/* Space for candidates of block @b; released by candidates_release(). */
void candidates_init(struct candidates *c, const struct problem *pb, uint32_t b, uint32_t keep);
void candidates_release(struct candidates *c);

/* Insert a copy in order if it belongs among the best; equal ones keep the order of arrival. */
void candidates_add(struct candidates *c, const struct problem *pb, uint32_t b, const struct goal *goal,
		    const struct candidate *one);

/* What no way to carry out the block can be below, without a search. */
struct cost exact_relaxed(const struct problem *pb, uint32_t b);

#endif
