/* SPDX-License-Identifier: MIT */
/*
 * All placements of a block's slots, each with its best frequency steps, up
 * to exchanges of equal cores: depth first, cut where a lower bound shows
 * that nothing below can matter.
 */
#ifndef PERSEUS_PLANNER_EXACT_EXACT_H
#define PERSEUS_PLANNER_EXACT_EXACT_H

#include "planner/exact/steps.h"

/* A way to carry out a block; units as first met, to be exchanged at will. */
struct candidate {
	struct cost cost; /* all repeats of all its phases, light members and changes left out */
	uint16_t *unit;   /* per slot of the block */
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

/*
 * The front of a block: every cost that no way to carry it out beats in both
 * figures.  A point's `left` is its place in unit[] and step[].
 */
struct block_front {
	struct front front; /* what can be reached */
	struct front bound; /* nothing is outside of it; the same if proven and not thinned */
	uint16_t *unit;     /* per place and slot of the block */
	uint8_t *step;      /* per place, phase of the block and domain */
	uint32_t n, cap;    /* places */
	bool proven;
	uint64_t evaluations;
	uint64_t work;
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
 * Search block @b.  Slots of threads that cannot be planned stand where
 * @fixed has them.  If the search was cut off, the candidates found so far
 * are kept and the bound is that of the relaxed problem.
 */
void exact_search(const struct problem *pb, uint32_t b, const struct design *fixed,
		  const struct exact_options *opts, struct scratch *s, struct candidates *out);

/*
 * The front of block @b, of time and energy or (@peak) time and largest draw,
 * within the deadlines of its phases and the cap; empty if there is no way
 * within them.  Of the options, keep, margin and the goal are not used.  If
 * the search was cut off, what was found is kept and the bound is the relaxed
 * one.  Released by block_front_release().
 */
void exact_front(const struct problem *pb, uint32_t b, const struct design *fixed, bool peak,
		 const struct exact_options *opts, struct scratch *s, struct block_front *out);
void block_front_init(struct block_front *f, bool peak);
void block_front_release(struct block_front *f);

/* Add a copy of @one if it is on the front; false if it is not. */
bool block_front_add(struct block_front *f, const struct problem *pb, uint32_t b,
		     const struct candidate *one);

/* Space for candidates of block @b; released by candidates_release(). */
void candidates_init(struct candidates *c, const struct problem *pb, uint32_t b, uint32_t keep);
void candidates_release(struct candidates *c);

/* Insert a copy in order if it belongs among the best; equal ones keep the order of arrival. */
void candidates_add(struct candidates *c, const struct problem *pb, uint32_t b, const struct goal *goal,
		    const struct candidate *one);

/* What no way to carry out the block can be below in each figure, without a search. */
struct cost exact_relaxed(const struct problem *pb, uint32_t b);

#endif
