/* SPDX-License-Identifier: MIT */
/* Waking the memory probes of a module: no-ops become jumps (perseus/abi.h). */
#ifndef RUNTIME_MEMORY_WAKE_H
#define RUNTIME_MEMORY_WAKE_H

#include "runtime/base/rt.h"

enum rt_enable {
	ENABLE_REFUSED = 0, /* the system does not let code be written: nothing was changed */
	ENABLE_PART = 1,    /* some places do not hold what the compiler wrote and stay dormant */
	ENABLE_ALL = 2,
};

/* A table of no-ops, and what is to be done with them in this run. */
struct rt_table {
	uint64_t at, end;     /* where it lies */
	const int32_t *place; /* n of them */
	uint32_t n;
	uint32_t n_keep; /* that many, if they have become jumps, stay so; the others are for bursts, */
	uint32_t n_jump; /* ... from the start; fewer than n_jump only as long as sharing.first */
	uint32_t n_now;  /* ... at once; the rest of them when a second thread comes */
	uint32_t n_notes;
	struct prs_desc *desc;
};

enum rt_what {
	ENABLE_PROBES, /* the no-ops of the module that do not wait become jumps */
	ENABLE_TWINS,  /* functions with two bodies run in the probed one from their next call on */
	DISABLE_TWINS, /* ... or in the plain one again */
};

/* Other threads may run in the module meanwhile. */
enum rt_enable enable_module(struct rt_code *code, enum rt_what what);

/* What enable_module() has left for the second thread.  Under rt_lock().  False: some places stay dormant. */
bool enable_rest(struct rt_code *code);

/* True if the process has one thread. */
bool enable_alone(void);

/* The table at @at. */
void enable_table(const void *at, struct rt_table *t);

/* Call @f for all tables of a module; true if it has returned true for each. */
typedef bool enable_fn(const struct rt_code *code, const struct rt_table *t, void *arg);
bool enable_each(const struct rt_code *code, enable_fn *f, void *arg);

/* True if all places of the table that are for bursts are what the compiler wrote. */
bool enable_waits(const struct rt_code *code, const struct rt_table *t);

/* One place of a table, of which that is true: on or off. */
static inline void enable_place(const struct rt_table *t, uint32_t i, bool enabled)
{
	unsigned char *p = (unsigned char *)(t->at + (uint64_t)(int64_t)t->place[i]);

	rt_store(p + PRS_NOP_SWITCH, enabled ? PRS_NOP_ENABLED : PRS_NOP_DISABLED);
}

/* Code was written: no processor that runs a thread of ours goes on with what it had fetched. */
void enable_barrier(void);

#endif
