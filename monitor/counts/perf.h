/* SPDX-License-Identifier: MIT */
/* Counts of the processor and the kernel, by perf_event_open(2): a group for each set and thread. */
#ifndef PERSEUS_MONITOR_COUNTS_PERF_H
#define PERSEUS_MONITOR_COUNTS_PERF_H

#include "lib/err.h"
#include "lib/strbuf.h"
#include "monitor/counts/look.h"
#include "monitor/families/families.h"

struct counts_perf;

/*
 * Settle what can be counted of the families @wanted (comma list, NULL: all) of @m on this machine:
 * its names are appended to @events, and to @left_out a line for what cannot, with the reason.  No
 * event at all: -ENODEV with the first reason.
 */
int counts_perf_open(struct counts_perf **p, const struct family_machine *m, const char *wanted,
		     struct counts_events *events, struct strbuf *left_out, struct err *err);
void counts_perf_close(struct counts_perf *p);

/* Groups of threads that cannot be on the counters at the same time: more than one take turns. */
size_t counts_perf_sets(const struct counts_perf *p);

/* The threads of process @pid are counted from now on; again for those that came. */
void counts_perf_watch(struct counts_perf *p, uint32_t pid);

/*
 * Read all of them into columns @from on of @look: rows of the same tid are used, others appended.
 * Packages are threads 0 of process 0, named "package N".  Threads that ended are forgotten.
 */
void counts_perf_look(struct counts_perf *p, struct counts_look *look, size_t from);

#endif
