/* SPDX-License-Identifier: MIT */
/* Looks into rates: counts of an interval, per 10 ms, with the error of what was counted in part. */
#ifndef PERSEUS_MONITOR_COUNTS_WINDOW_H
#define PERSEUS_MONITOR_COUNTS_WINDOW_H

#include "monitor/counts/look.h"

#define RATE_UNKNOWN (-1.0)

struct rate {
	double count;    /* in the window, RATE_UNKNOWN: it was not counted */
	double per_10ms; /* of the clock */
	double error;    /* of per_10ms, 95 %: 0 exact, RATE_UNKNOWN */
	double seen;     /* share of the thread's time in which it was counted, 0 to 1 */
};

struct rates {
	uint64_t ns; /* the end of the window */
	double seconds;
	size_t n_events;
	struct VEC(struct counts_thread) threads;
	struct VEC(struct rate) at; /* of thread i from i * n_events on */
};
void rates_release(struct rates *r);

struct window_thread;
struct window {
	size_t n_events;
	struct VEC(bool) by_clock; /* each event: counts_by_clock() */
	struct VEC(struct window_thread *) threads;
	uint64_t from_ns, to_ns; /* 0: no look yet */
};

/* @events may go after the call. */
void window_init(struct window *w, const struct counts_events *events);
void window_release(struct window *w);

/*
 * A slice ends with @look.  A thread counts from the look on that saw it first; one that is
 * not in @look is gone.  A number that is below the last one begins anew.
 */
void window_add(struct window *w, const struct counts_look *look);

/* The window ends with the last look: its rates, and the next one begins. */
void window_end(struct window *w, struct rates *out);

#endif
