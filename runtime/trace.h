/* SPDX-License-Identifier: MIT */
/*
 * Trace mode: each thread appends what it does to a ring of its own that the
 * recorder drains (perseus/trace.h).
 *
 * A signal handler may come between any two instructions here, and may never
 * return to them (longjmp, stacks switched by hand).  So a record is written
 * under `busy`.  A handler that finds it set puts its own records aside, and
 * whoever set it adds them to the ring when it is done.  When there is no more
 * room aside, `busy` was probably left behind: the handler takes over and counts
 * the record that was interrupted as lost.  If that one does come back, it fails
 * to move `head` and leaves it at that.
 */
#ifndef RUNTIME_TRACE_H
#define RUNTIME_TRACE_H

#include "perseus/trace.h"
#include "runtime/rt.h"

#ifndef RT_COLD
#define RT_COLD __attribute__((noinline, cold))
#endif

#define RT_ASIDE 256u /* records put aside */

/* A record: its class is in the first word, two or four words are used. */
struct rt_record {
	uint64_t word[4];
};

/* A thread's end of its ring: its own memory, while `shared` is the recorder's, too. */
struct rt_ring {
	uint64_t busy; /* a record is being written: 1, or `head` before it and 1 */
	uint64_t n_aside;
	uint64_t head;  /* bytes written, only grows */
	uint64_t limit; /* at this head look at the recorder first */
	uint64_t last;  /* ticks of the last record */
	uint64_t mask;  /* bytes of the ring - 1 */
	unsigned char *data;
	struct prs_ring *shared; /* NULL: no slot yet */
	uint64_t gap;            /* since when nothing is traced; 0: it is */
	uint64_t gap_calls;      /* lost since then */
	uint64_t gap_others;
	struct rt_record aside[RT_ASIDE];
};

/* Once per process, after clock_choose(): use the rings that the environment names, if it does. */
void trace_setup(void);

/* The calling thread @t begins, and ends, to be recorded. */
void trace_thread_begin(struct rt_thread *t);
void trace_thread_end(struct rt_thread *t);

/* The process may end here: what the calling thread has put aside goes to its ring. */
void trace_close(void);

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

/* Parts of trace_pair(): another is in progress; one that needs more care, under `busy`; after one. */
void trace_aside(struct rt_thread *t, uint32_t site, uint64_t end, uint64_t ticks, uint32_t flags) RT_COLD;
void trace_hard(struct rt_thread *t, uint32_t site, uint64_t end, uint64_t ticks, uint32_t flags) RT_COLD;
void trace_collect(struct rt_thread *t) RT_COLD;

/* Thread @t accesses memory now (@access as in PRS_ACCESS), or has a heap note (enum prs_trace_note). */
void trace_memory(struct rt_thread *t, uint32_t site, uint64_t address, uint32_t access);
void trace_note(struct rt_thread *t, uint32_t site, uint64_t address, uint64_t bytes, uint32_t kind);

/*
 * Trace a call of @site (process-wide) that took @ticks up to @end; @flags
 * PRS_TRACE_MOVED or 0.  Only if t->ring is not NULL.
 */
static inline void trace_pair(struct rt_thread *t, uint32_t site, uint64_t end, uint64_t ticks,
			      uint32_t flags)
{
	struct rt_ring *r = t->ring;
	uint64_t at, *unit;

	if (rt_unlikely(r->busy)) {
		trace_aside(t, site, end, ticks, flags);
		return;
	}
	r->busy = r->head | 1;
	rt_barrier();
	at = r->head;
	if (rt_unlikely(at >= r->limit || end < r->last || ticks >> PRS_LENGTH_BITS ||
			site >= PRS_TRACE_SITES)) {
		trace_hard(t, site, end, ticks, flags);
		return;
	}
	unit = (uint64_t *)(r->data + (at & r->mask));
	unit[0] = end;
	unit[1] = ticks | (uint64_t)(site | flags) << 32;
	r->last = end;
	rt_barrier();
	if (rt_unlikely(!local_swap64(&r->head, at, at + PRS_UNIT_BYTES))) /* somebody took over */
		return;
	rt_publish(&r->shared->head, at + PRS_UNIT_BYTES);
	rt_barrier();
	r->busy = 0;
	rt_barrier();
	if (rt_unlikely(r->n_aside))
		trace_collect(t);
}

#endif
