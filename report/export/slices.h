/* SPDX-License-Identifier: MIT */
/*
 * What threads did when, in order of time: from the trace, which holds calls in
 * the order of their ends, or from a record without one.  For this folder only.
 */
#ifndef PERSEUS_REPORT_EXPORT_SLICES_H
#define PERSEUS_REPORT_EXPORT_SLICES_H

#include "report/export/out.h"

/* What a slice shows: a call site of the process, else one of these. */
#define SLICE_LIFE  0x80000000u /* the thread, from its start to its end */
#define SLICE_WAITS 0x80000001u /* ... + enum prs_event_kind */

/* Calls of a thread that are in memory at a time; tests make it small. */
extern uint32_t slices_chunk;

struct slice_thread {
	const struct run_process *process;
	uint32_t index, tid;
	uint32_t number;  /* among those that are drawn, from 0 */
	const char *name; /* with a number where there are several */
};

struct slice_writer {
	void *to;
	void (*thread)(void *to, const struct slice_thread *t);
	/* Times are nanoseconds since the first process began, and never go back within a thread. */
	void (*begin)(void *to, uint64_t ns, uint32_t what);
	void (*end)(void *to, uint64_t ns, uint32_t what);
	void (*done)(void *to);
};

/*
 * All threads, one after the other.  -ENOENT: the run has no trace and e->trace is
 * set; what is missing is said in e->notes.
 */
int slices_write(struct export *e, const struct slice_writer *w, struct err *err);

/* What people call it; appended to @out. */
void slice_name(const struct export *e, const struct run_process *p, uint32_t what, struct strbuf *out);

/* Where it is in the program's own source; false: it is not known, or no call. */
bool slice_place(const struct export *e, const struct run_process *p, uint32_t what, struct run_place *place);

/* The function that a call is of, if the tables know where it is defined; else NULL. */
const struct run_function *slice_function(const struct export *e, const struct run_process *p, uint32_t what);

/* When the first process of the run began, CLOCK_MONOTONIC. */
uint64_t slices_start(const struct run *run);

#endif
