/* SPDX-License-Identifier: MIT */
/* Waking the memory probes of a module: no-ops become jumps (perseus/abi.h). */
#ifndef RUNTIME_WAKE_H
#define RUNTIME_WAKE_H

#include "runtime/rt.h"

enum rt_wake {
	WAKE_REFUSED = 0, /* the system does not let code be written: nothing was changed */
	WAKE_PART = 1,    /* some places do not hold what the compiler wrote and stay dormant */
	WAKE_ALL = 2,
};

/* A table of no-ops, and what is to be done with them in this run. */
struct rt_table {
	uint64_t at, end; /* where it lies */
	const struct prs_nop *nop;
	uint32_t n;
	uint32_t n_jump;      /* that many become jumps at once, the others wait for bursts */
	uint32_t n_notes;     /* these become jumps, whatever `opcode` says of the others */
	unsigned char opcode; /* PRS_JUMP_OPCODE or PRS_CALL_OPCODE */
	struct prs_desc *desc;
};

/*
 * Turn all no-ops of the module into jumps, or what waits for a burst into the
 * form before.  Other threads may run in it meanwhile.
 */
enum rt_wake wake_module(const struct rt_code *code);

/* The table at @at. */
void wake_table(const void *at, struct rt_table *t);

/* Call @f for all tables of a module; true if it has returned true for each. */
typedef bool wake_fn(const struct rt_code *code, const struct rt_table *t, void *arg);
bool wake_each(const struct rt_code *code, wake_fn *f, void *arg);

/* True if all places of the table that wait are one byte from being jumps. */
bool wake_waits(const struct rt_code *code, const struct rt_table *t);

/* Code was written: no processor that runs a thread of ours goes on with what it had fetched. */
void wake_barrier(void);

#endif
