/* SPDX-License-Identifier: MIT */
/*
 * Blocks made up for the simulator: who works under which lock of a phase for
 * how long is known, but not when.  Each member takes its locks in rounds, one
 * after the other, with its other work evenly between.
 */
#ifndef PERSEUS_PLANNER_SIM_ROUNDS_H
#define PERSEUS_PLANNER_SIM_ROUNDS_H

#include "lib/strbuf.h"
#include "planner/cost/eval.h"
#include "record/blocks/blocks.h"

struct rounds {
	struct strbuf bytes;
	size_t *at;         /* of member i, counted over all phases: bytes [at[i], at[i + 1]) */
	uint32_t n_objects; /* locks of the phase that has most */
};

/*
 * Blocks of all members that use locks where @d slots them, in the order of
 * phases and members; their weights are ns, and the sum of them goes to
 * @weight (0: no blocks).  Released by rounds_release().
 */
void rounds_make(struct rounds *r, const struct problem *pb, const struct design *d, uint64_t *weight);
void rounds_release(struct rounds *r);

/* The blocks of a member; valid until they are released. */
struct block_cursor rounds_body(const struct rounds *r, size_t member);

#endif
