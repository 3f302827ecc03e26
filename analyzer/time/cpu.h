/* SPDX-License-Identifier: MIT */
/*
 * The CPU time of one thread over the ticks of its process: the points at
 * which the runtime read it, and straight lines between them.
 */
#ifndef PERSEUS_ANALYZER_TIME_CPU_H
#define PERSEUS_ANALYZER_TIME_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "record/run.h"

struct cpu_point {
	uint64_t tick;
	uint64_t ns; /* thread CPU time */
};

struct cpu_line {
	struct cpu_point *at; /* ascending in both */
	size_t n;
};

/*
 * Gather the points of @t.  @end: ticks of the end of the process, for a
 * thread that has no end of its own.  Points that contradict an earlier one
 * (CPU time going back) are dropped.
 */
void cpu_line_make(struct cpu_line *line, const struct run_thread *t, uint64_t end);

/* CPU time (ns) that the thread had used at @tick; before its start: that of its start. */
uint64_t cpu_at(const struct cpu_line *line, uint64_t tick);

/* CPU time of the whole thread, ns. */
uint64_t cpu_total(const struct cpu_line *line);

/* Free everything inside. */
void cpu_line_release(struct cpu_line *line);

/* True if the event is one in which a thread waits for others. */
bool event_waits(const struct prs_event *ev);

/* The wait that the thread was in at @tick, NULL: none was recorded. */
const struct prs_event *waiting_at(const struct run_thread *t, uint64_t tick);

/* Ticks in [@from, @to] that the thread spent in recorded waits. */
uint64_t waited_ticks(const struct run_thread *t, uint64_t from, uint64_t to);

#endif
