/* SPDX-License-Identifier: MIT */
/* What a thread appends to its record: events and the block log. */
#ifndef RUNTIME_CALLS_APPEND_H
#define RUNTIME_CALLS_APPEND_H

#include "runtime/base/rt.h"

/* A call of @site took @ticks up to @end, inside @depth other timed calls. */
void append_log(struct rt_thread *t, uint32_t site, uint32_t depth, uint64_t end, uint64_t ticks);

/* What an interposed function saw. */
struct rt_seen {
	uint32_t kind;   /* enum prs_event_kind */
	uint32_t other;  /* thread index or PRS_NO_THREAD */
	uint64_t begin;  /* ticks */
	uint64_t object; /* address or pthread_t */
	int64_t value;
	uint64_t caller; /* return address of the interposed call, 0 */
};

/*
 * Record @e, ending now, for @t.  CPU time is read unless the kind never
 * waits.  A thread's events are bounded; the last quarter is kept for what
 * phases are made of: creation, join, exit, fork and barrier.
 */
void append_event(struct rt_thread *t, const struct rt_seen *e);

/*
 * The innermost timed call of @t starts threads or joins them: it is timed
 * for ever, since a creation during an unobserved call would be laid to the
 * call round it.
 */
void append_pin(struct rt_thread *t);

#endif
