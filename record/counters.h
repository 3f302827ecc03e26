/* SPDX-License-Identifier: MIT */
/* Counted events of a run: which, how they were read, and each thread's sums over time. */
#ifndef PERSEUS_RECORD_COUNTERS_H
#define PERSEUS_RECORD_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perseus/counter.h"
#include "record/run.h"

struct run_event {
	const char *name; /* as the user asked for it */
	bool counted;     /* else `error` says why not */
	bool system;      /* from getrusage() or the CPU clock, since perf was refused */
	bool user_only;   /* not in the kernel */
	int error;        /* errno of perf_event_open(), 0 */
	uint32_t group;   /* events of one group are counted together */
};

/* What one thread counted: readings at ascending ticks. */
struct run_counts {
	uint64_t *ticks;
	double *sums; /* [n][n_events], since the thread's start, scaled up where events took turns */
	size_t n;     /* 0: nothing was read in this thread */
	double share[PRS_EVENTS_MAX]; /* of the time wanted that was counted, 0..1 */
	int refused[PRS_EVENTS_MAX];  /* errno: this thread got no counter for it */
	double *on_ns; /* [n], ns that the thread was on a core since its start; NULL: not known */
};

struct run_counters {
	uint32_t rung; /* enum prs_counter_rung */
	uint64_t interval_us, read_ns, rdpmc_ns;
	struct run_event events[PRS_EVENTS_MAX];
	size_t n_events;
	struct run_counts *threads; /* by thread index */
	size_t n_threads;
};

/* Number of the event called @name in any spelling of case, -1: none such was counted. */
int run_event_find(const struct run_counters *c, const char *name);

/* Sum of event @event in @t up to @tick, between two readings by a straight line; before the first from 0. */
double run_count_at(const struct run_counters *c, const struct run_thread *t, size_t event, uint64_t tick);

/* ... of the whole thread. */
double run_count_total(const struct run_counters *c, uint32_t thread, size_t event);

#endif
