/* SPDX-License-Identifier: MIT */
/*
 * Events counted by thread (PERSEUS_EVENTS): readings in the record at most
 * once per interval and thread, where a thread passes by anyway.
 */
#ifndef RUNTIME_CALLS_COUNTERS_H
#define RUNTIME_CALLS_COUNTERS_H

#include "perseus/counter.h"
#include "runtime/base/rt.h"

/* Once per process: what the environment asks for. */
void counters_ask(void);

/* The calling thread, which is @t, begins, under rt_lock(); it ends. */
void counters_begin(struct rt_thread *t);
void counters_end(struct rt_thread *t);

/* At the end of the process, for any thread: its last reading. */
void counters_snapshot(struct rt_thread *t);

/* In a fork child: give the parent's counters back. */
void counters_forked(void);

/* Read the counters of @t, the calling thread; @why: enum prs_counter_why. */
void counters_take(struct rt_thread *t, uint32_t why);

/* The same if its interval has passed at @now (ticks). */
static inline void counters_tick(struct rt_thread *t, uint64_t now, uint32_t why)
{
	if (rt_unlikely(t->counters) && now >= t->counters_due)
		counters_take(t, why);
}

/* At what may begin a phase: a quarter of the interval will do. */
static inline void counters_phase(struct rt_thread *t, uint64_t now)
{
	if (rt_unlikely(t->counters) && now >= t->counters_due - t->counters_early)
		counters_take(t, PRS_COUNTER_PHASE);
}

#endif
