/* SPDX-License-Identifier: MIT */
/* The parts of report_critical_make(); for this folder only. */
#ifndef PERSEUS_REPORT_CRITICAL_PARTS_H
#define PERSEUS_REPORT_CRITICAL_PARTS_H

#include "report/critical/critical.h"
#include "report/critical/graph.h"

/* How many waits of @t ended at @at or before. */
size_t crit_waits_until(const struct crit_thread *t, double at);

/* Mean and longest hold of the lock of @e by @thread, ns; 0: none was timed. */
double crit_mean_hold(const struct run_process *p, uint32_t thread, const struct prs_event *e, double *max);

/* The path through @g; c->steps, c->ns and c->kind_ns. */
void crit_walk(struct report_critical *c, const struct crit_graph *g);

/* What the parts of the path would gain: c->gains. */
void crit_what_if(struct report_critical *c, const struct crit_graph *g, struct report_summary *s);

/* The name of a thread, with its number, or as all of its kind have it. */
const char *crit_thread_name(const struct report_critical *c, uint32_t thread, bool numbered);

/* How people call what a wait is at: "mutex gate", "sleep". */
const char *crit_wait_name(struct report_summary *s, const struct run_process *p, uint32_t kind,
			   uint64_t object);

#endif
