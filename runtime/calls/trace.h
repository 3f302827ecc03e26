/* SPDX-License-Identifier: MIT */
/*
 * Trace mode: each thread appends what it does to a ring of its own that the
 * recorder drains (perseus/trace.h).
 *
 * The usual pair is one entry of 16 bytes that leave writes (arch/entry-trace.h):
 * it says how long which call record's call took, and the recorder adds it to
 * that record's sums.  Accounting for it here as well would cost the thread a
 * quarter more.  All other pairs come here, and are in their record already.
 *
 * A signal handler may come between any two instructions, and may never
 * return to them (longjmp, stacks switched by hand).  So a record is written
 * under `busy`.  A handler that finds it set puts its own records aside, and
 * whoever set it adds them to the ring when it is done.  When there is no more
 * room aside, `busy` was probably left behind: the handler takes over and counts
 * the record that was interrupted as lost.  If that one does come back, it
 * fails to move `head`, or, if it is a usual one, sets it back, which the next
 * record finds by `top`.
 */
#ifndef RUNTIME_CALLS_TRACE_H
#define RUNTIME_CALLS_TRACE_H

#include "perseus/trace.h"
#include "runtime/base/rt.h"

#define RT_ASIDE 256u /* records put aside */

/* A record: its class is in the first word, two or four words are used. */
struct rt_record {
	uint64_t word[4];
};

/* Once per process, after clock_choose(): use the rings that the environment names, if it does. */
void trace_setup(void);

/* The calling thread @t begins, and ends, to be recorded. */
void trace_thread_begin(struct rt_thread *t);
void trace_thread_end(struct rt_thread *t);

/* The process may end here: what the calling thread has put aside goes to its ring. */
void trace_close(void);

/*
 * The process locks itself in, or may have become another user: if none of its
 * users is that of the recorder any more, it has no more business with buffers
 * that others share, and what its threads still write goes nowhere.
 */
void trace_leave(void);
void trace_check_user(void);

/* Bytes of address space that the rings take. */
uint64_t trace_mapped(void);

/* True if threads of the process may be traced. */
bool trace_here(void);

/* True if calls of all sites below @end fit into a record. */
static inline bool trace_fits(uint32_t end)
{
	return end <= PRS_TRACE_SITES;
}

/* True if every memory access must come to rt_mem(). */
bool trace_all_memory(void);

/* Thread @t accesses memory now (@access as in PRS_ACCESS), or has a heap note (enum prs_trace_note). */
void trace_memory(struct rt_thread *t, uint32_t site, uint64_t address, uint32_t access);
void trace_note(struct rt_thread *t, uint32_t site, uint64_t address, uint64_t bytes, uint32_t kind);

/*
 * Trace a call of @site (process-wide) that took @ticks up to @end and is in
 * its record; @flags PRS_TRACE_MOVED or 0.  Only if t->ring is not NULL, as for
 * the next.
 */
void trace_pair(struct rt_thread *t, uint32_t site, uint64_t end, uint64_t ticks, uint32_t flags) RT_COLD;

/* True where the usual pairs of @t have filled what they were to before somebody looks at other things. */
static inline bool trace_turn(const struct rt_thread *t)
{
	return !t->ring->gap && t->ring->head >= t->ring->limit;
}

#endif
