/* SPDX-License-Identifier: MIT */
/* Who ended which wait of a process. */
#ifndef PERSEUS_REPORT_CRITICAL_GRAPH_H
#define PERSEUS_REPORT_CRITICAL_GRAPH_H

#include "report/critical/critical.h"

/* A stretch in which one call was the innermost long one. */
struct crit_span {
	double begin, end;
	const struct run_call_site *site;
};

struct crit_thread {
	double begin, end, created;
	uint32_t creator;
	struct crit_wait *waits; /* in order of time, apart from each other */
	size_t n_waits;
	struct crit_span *spans;
	size_t n_spans;
};

/* All waits of a process and who ended them. */
struct crit_graph {
	const struct run_process *process;
	struct crit_thread *threads;
	size_t n_threads;
	uint32_t last; /* the thread that ended last */
};

/* The names belong to @s; times are ns since @p began. */
void crit_graph_make(struct crit_graph *g, struct report_summary *s, const struct run_process *p);
void crit_graph_release(struct crit_graph *g);

#endif
