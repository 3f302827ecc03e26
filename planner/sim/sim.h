/* SPDX-License-Identifier: MIT */
/*
 * The second evaluator: a design run block by block.
 *
 * With a block file every phase occurs as often and in the order it was
 * recorded, each time with the share of work that it had then; the work of
 * all occurrences together is the model's.  The fluid model knows the mean
 * only, so it is short where threads are late in turn.  Without a block file
 * each phase is run once and counted as often as it occurs; what the model
 * says of locks is spread evenly over it (rounds.h).
 *
 * Phases begin and end for all at once, and changes between them cost what
 * they cost in the fluid model; inside, see turns.h.  A package halts whenever
 * all its units are idle, and not only at the end.
 *
 * Memory is that of the problem, however many blocks there are.
 */
#ifndef PERSEUS_PLANNER_SIM_SIM_H
#define PERSEUS_PLANNER_SIM_SIM_H

#include "planner/cost/eval.h"
#include "record/blocks/blocks.h"

struct sim_options {
	const struct blocks *blocks; /* of the problem's model, or NULL */
	bool priced;                 /* changes cost */
	bool always;                 /* events for every unit, also where they change nothing: for tests */
};

/* State times are summed over the units. */
struct sim_result {
	struct cost cost; /* peak_mw: the largest draw of an occurrence */
	uint64_t busy_ns, idle_ns, halted_ns;
	uint64_t change_ns;           /* at passages between phases */
	uint64_t stalled_ns;          /* of busy_ns: conflicts */
	uint64_t barrier_ns, lock_ns; /* that threads waited inside of phases, summed over them */
	uint64_t occurrences;
	uint64_t blocks; /* recorded ones that were run */
	uint64_t events;
};

/*
 * Simulate @d.  -EINVAL: the blocks do not fit the model's phases, or wait
 * for each other in a circle; -EPROTO: the balance is not even: the time that
 * all units are busy, idle, halted and changing is not units x run time, or
 * the work done is not the work there was.
 */
int sim_run(const struct problem *pb, const struct design *d, const struct sim_options *opts,
	    struct sim_result *out, struct err *err);

#endif
