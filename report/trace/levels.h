/* SPDX-License-Identifier: MIT */
/*
 * A trace in levels of detail, for pictures: the whole run in bins, whose number does not
 * depend on its length, every call of some windows, and the slowest calls of each site.
 */
#ifndef PERSEUS_REPORT_TRACE_LEVELS_H
#define PERSEUS_REPORT_TRACE_LEVELS_H

#include "report/trace/trace.h"

/* A call; times in ns since the run began. */
struct level_call {
	const struct run_process *process;
	uint32_t thread;
	const struct run_call_site *site;
	double begin, ns;
};

/* Time of one thread in calls of one site, without the calls inside, in one bin. */
struct level_bin {
	const struct run_process *process;
	uint32_t thread, bin;
	const struct run_call_site *site; /* NULL: sites that found no room of their own */
	double ns;
};

struct level_window {
	double begin, end;
};

struct trace_levels {
	uint64_t n_total; /* calls of the trace */
	double end_ns;    /* of the run */
	size_t n_slices;  /* bins of the whole run, for each thread */
	struct level_bin *bins;
	size_t n_bins;
	struct level_window *windows; /* ascending, apart from each other */
	size_t n_windows;
	struct level_call *calls; /* that touch a window, by thread, in order of end */
	size_t n_calls;
	struct level_call *slow; /* the longest of each site, falling */
	size_t n_slow;
	size_t n_left_out; /* threads without bins: too many have a trace */
	bool whole;        /* the trace could be read to its end */
};

/*
 * Read the trace of @run; windows lie round @moments, @n of them, the important ones first, and round
 * the slowest calls, as far as @max_calls calls allow.  -ENOENT: the run has no trace.
 */
int trace_levels_read(struct trace_levels *l, const struct run *run, const double *moments, size_t n,
		      size_t max_calls, struct err *err);
void trace_levels_release(struct trace_levels *l);

#endif
