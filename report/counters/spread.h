/* SPDX-License-Identifier: MIT */
/* Whose were the events that a thread counted between two readings. */
#ifndef PERSEUS_REPORT_COUNTERS_SPREAD_H
#define PERSEUS_REPORT_COUNTERS_SPREAD_H

#include "record/counters.h"
#include "record/run.h"

/* One call site of a thread. */
struct spread_row {
	uint32_t site;                 /* process-wide number; PRS_NO_SITE: what no call accounts for */
	double self;                   /* ticks of its own */
	double counts[PRS_EVENTS_MAX]; /* filled in */
};

/*
 * Deal what thread @t of @p counted to its call sites.  Between two readings
 * the clock decides: a logged call gets what its own time in there stands for,
 * but no more of it than its self time says (the rest ran in calls too short
 * for the log); what is left over in all intervals goes to the rows by the self
 * time that no logged call covered.  The sums over @rows are the thread's.
 * @rows: ascending by site, the last one of PRS_NO_SITE; p->counters is there.
 */
void spread_counts(const struct run_process *p, const struct run_thread *t, struct spread_row *rows,
		   size_t n);

#endif
