/* SPDX-License-Identifier: MIT */
/*
 * What was counted so far, of all threads at one moment.  Whoever counts makes such looks:
 * the processor (perf.h), the directory of a sharing run (directory.h), a file (file.h).
 */
#ifndef PERSEUS_MONITOR_COUNTS_LOOK_H
#define PERSEUS_MONITOR_COUNTS_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/vec.h"

#define COUNT_NAME 17 /* of a thread, the kernel's, with the NUL */

/* Running sums.  It was wanted for @enabled ns and counted for @running of them; 0: not counted. */
struct count {
	uint64_t value, enabled, running;
};

struct counts_thread {
	uint32_t pid, tid;
	int core;         /* where it ran last, -1 not known */
	uint32_t partner; /* tid of the thread that lost most lines to it of late, 0 not known */
	char name[COUNT_NAME];
};

/* Names of what is counted, "coherence.hitm"; they own their text. */
struct counts_events VEC(char *);

struct counts_look {
	uint64_t ns;     /* of a clock that does not jump */
	size_t n_events; /* counts a thread */
	struct VEC(struct counts_thread) threads;
	struct VEC(struct count) counts; /* of thread i from i * n_events on */
};

/* Append @t with counts of zeros; gives the first of them, valid until the next call. */
struct count *counts_look_add(struct counts_look *look, const struct counts_thread *t);

/* No threads, and another time. */
void counts_look_clear(struct counts_look *look, uint64_t ns, size_t n_events);
void counts_look_release(struct counts_look *look);

/* The number of the event @name, or events->n. */
size_t counts_event(const struct counts_events *events, const char *name);
/*
 * The times of the event @name are of the clock and not of the thread: the directory's, whose
 * tables are looked at in turn if there are many.  Where none passed nobody looked.
 */
bool counts_by_clock(const char *name);
void counts_events_release(struct counts_events *events);

#endif
