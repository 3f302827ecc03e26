/* SPDX-License-Identifier: MIT */
/* How long a thread can have been at a line. */
#ifndef PERSEUS_ANALYZER_LINES_THERE_H
#define PERSEUS_ANALYZER_LINES_THERE_H

#include "analyzer/lines/lines.h"

/*
 * Times of one thread in a sharing run, ns.  Between the first and the last that was
 * seen of it at a line it was there for no longer than it neither waited nor lacked a
 * core.  Before and after it may have been there without a trace, if nobody else was.
 * When it lacked a core is not known: as often here as in the rest of its life.
 */
struct there {
	double span;    /* from the first to the last, but for what it waited */
	double ns;      /* ... and had a core */
	double least;   /* ... if it lacked its core here as long as can be */
	double outside; /* before and after, while it ran; and if it lacked no core here */
	double lacking; /* of the span it had no core for so much */
	double awake;   /* its life, but for what it waited */
	double ran;     /* ... with a core */
	double whole;   /* its life */
	double kept;    /* ... of that it had no core for so much, awake or at the end of a sleep */
	double waits;   /* calls that waited, from the first to the last */
	double rested; /* 0..1: part of the time from the first to the last that it waited, each time shortly */
};

/* Of @thread of @p, between the ticks @first and @last.  Where pace->windows, waits are not taken off. */
void there_between(struct there *t, const struct run_process *p, uint32_t thread, uint64_t first,
		   uint64_t last, const struct line_pace *pace);

/*
 * Whether @thread went through other stages between @first and @last: it passed a barrier, or slept at
 * a condition variable, a semaphore or a join, but not so often that they would be rounds of a loop.
 */
bool there_staged(const struct run_process *p, uint32_t thread, uint64_t first, uint64_t last);

#endif
