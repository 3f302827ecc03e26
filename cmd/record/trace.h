/* SPDX-License-Identifier: MIT */
/* `perseus record --trace`: options, the trace in the run directory, what is said of it at the end. */
#ifndef PERSEUS_CMD_RECORD_TRACE_H
#define PERSEUS_CMD_RECORD_TRACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "recorder/trace-drain.h"

#define RECORD_TRACE_DIR "trace" /* below the run directory */

struct record_trace {
	bool wanted;
	uint32_t full;      /* enum prs_trace_policy */
	uint64_t buffer_mb; /* of each thread */
	struct drain *drain;
	struct drain_totals totals;
	struct drain_processes processes;
	uint8_t uuid[16];
	char run[PATH_MAX]; /* absolute */
	const char *program;
	char environment[96];
	bool meta_failed; /* the metadata is not complete, and why: */
	struct err meta_err;
};

/* No trace; the rest as without an option. */
void record_trace_defaults(struct record_trace *t);

/* Take option @name ("trace", "trace-full", "trace-buffer"): 0 or -EINVAL with the reason. */
int record_trace_option(struct record_trace *t, const char *name, const char *value, struct err *err);

/*
 * Make the trace directory below @run (absolute) and the buffers; a no-op
 * unless t->wanted.  @program is the base name and must outlive @t.
 */
int record_trace_start(struct record_trace *t, const char *run, const char *program, struct err *err);

/* The value of PERSEUS_TRACE for the program, NULL: no trace. */
const char *record_trace_environment(const struct record_trace *t);

/* The program has ended: write what is left; nothing is written behind this. */
void record_trace_stop(struct record_trace *t);

/* Complete the metadata, once the run can be opened. */
void record_trace_complete(struct record_trace *t);

/*
 * Say on stderr what the trace holds (unless @quiet) and what it lacks.
 * CMD_OK, or CMD_DATA if it ended before the program did.
 */
int record_trace_say(const struct record_trace *t, bool quiet);

/* Free what is left. */
void record_trace_release(struct record_trace *t);

#endif
