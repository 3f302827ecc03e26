/* SPDX-License-Identifier: MIT */
/*
 * Designs for a block too large to enumerate, made by rule: the first few
 * packages at one step, threads dealt to their cores with the longest first,
 * those that share a line into one cache group, and exchanged until no
 * exchange makes the longer one of two cores shorter.  Slots that last for
 * several phases are dealt before the others, by all their work.
 */
#ifndef PERSEUS_PLANNER_HEURISTIC_PACK_H
#define PERSEUS_PLANNER_HEURISTIC_PACK_H

#include "planner/cost/live.h"

#define PACK_LIST 6 /* of the ways to pack, only these are of interest */

/* A way to pack: which units, at which step. */
struct pack {
	uint32_t n_units; /* the first ones, whole packages */
	uint8_t step;
	struct cost cost; /* estimate: as if work could be divided at will */
};

/* Working memory, for any number of blocks. */
struct packer {
	const struct problem *pb;
	struct goal goal; /* of a phase by itself: no deadline of the run */
	struct live live;
	uint8_t *part;  /* per slot: of the block at hand, and if so how */
	bool *placed;   /* per slot */
	uint64_t *load; /* per unit, ns */
};

void packer_init(struct packer *x, const struct problem *pb, const struct goal *goal,
		 const struct scratch *s);
void packer_release(struct packer *x);

/* The most promising ways to pack block @b, the best first; returns their number. */
uint32_t pack_list(const struct packer *x, uint32_t b, struct pack list[PACK_LIST]);

/*
 * Pack block @b: its slots and the steps of the epochs that begin in it are set
 * in @d; other slots count where @d has them.  Returns the effort, in members
 * moved.
 */
uint64_t pack_make(struct packer *x, uint32_t b, const struct pack *way, struct design *d);

#endif
