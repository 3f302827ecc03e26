/* SPDX-License-Identifier: MIT */
/* Counted events in a summary: of the run, of functions and of threads. */
#ifndef PERSEUS_REPORT_COUNTERS_COUNTERS_H
#define PERSEUS_REPORT_COUNTERS_COUNTERS_H

#include "lib/json.h"
#include "record/counters.h"
#include "report/time/collect.h"

/* Counts by event number, of a function over all threads, or of what no function accounts for. */
struct report_counted {
	const char *name; /* pretty; NULL: outside of functions that are known */
	double self_ns;
	double counts[PRS_EVENTS_MAX];
};

struct report_counters {
	const struct run_counters *how; /* of the first process that counted: events and rung */
	double totals[PRS_EVENTS_MAX];  /* over all threads */
	double wanted_ns[PRS_EVENTS_MAX], counted_ns[PRS_EVENTS_MAX]; /* lives of threads by share */
	struct report_counted *functions;                             /* by self time, falling */
	size_t n_functions;
	uint64_t threads_without; /* threads that got no counter for some event */
	int cycles, instructions; /* numbers of these events, -1 */
};

/* Deal the counts of all threads to @rows and the functions in them; NULL if the run counted nothing. */
struct report_counters *counters_collect(struct report_summary *s, struct row_list *rows);
void counters_free(struct report_counters *c);

/* The line of `perseus record`'s summary; nothing if no events were asked for. */
void counters_line(const struct report_summary *s, struct strbuf *out);

/* The tables of `perseus report`, and the member "counters" of its JSON. */
void counters_text(const struct report_summary *s, const struct report_view *view, struct strbuf *out);
void counters_json(const struct report_summary *s, const struct report_view *view, struct json *j);

#endif
