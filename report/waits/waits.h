/* SPDX-License-Identifier: MIT */
/* What `perseus waits` prints: who waits for whom, and which threads feed which. */
#ifndef PERSEUS_REPORT_WAITS_WAITS_H
#define PERSEUS_REPORT_WAITS_WAITS_H

#include "lib/strbuf.h"
#include "report/time/collect.h"
#include "report/time/types.h"

/* Mean time that @l is held, in ns: each place by its own timed holds; 0 if none was timed. */
double report_hold_mean(const struct report_lock *l);

/* A wait that holds nobody up: a join, or for the world outside of the program. */
bool report_wait_idle(const struct report_wait *w);

/* "barrier", "mutex", ...: what a thread waits at, for an event kind. */
const char *report_wait_kind(uint32_t kind);

/* "stage", "pool.lock", "locks[3]", "pipe 4"; NULL for what has no name. */
const char *wait_object_name(struct report_summary *s, const struct run_process *p, uint32_t kind,
			     uint64_t object, int fd);

/* "pipe 4": what a wait of kind @wait for descriptor @fd is at, appended; false: it is for none. */
bool wait_descriptor_name(struct strbuf *out, uint32_t wait, uint64_t object, int fd);

/*
 * How many holds of acquisitions @w were timed, and how long they were
 * together; without the longest of several, in which the thread may have lost
 * its core.
 */
uint64_t hold_times(const struct run_process *p, const struct prs_wait *w, double *ns);

/*
 * Fill s->waits, s->locks and s->queues from @rows (calls that block unseen)
 * and the waits of all threads; thread names must be known.
 */
void collect_waits(struct report_summary *s, struct wait_list *rows);
void release_waits(struct report_summary *s);

/* True if the threads of the program could be made to wait less here: at least 1 % of thread time. */
bool waits_significant(const struct report_summary *s, const struct report_wait *w);

/* True if a wait for threads of the program, other than a join, takes more than @part of the thread time. */
bool waits_longer(const struct report_summary *s, double part);

/* How many waits are significant. */
size_t waits_count_significant(const struct report_summary *s);

/* Text; @all: also what is too short to matter, and locks that kept nobody waiting.  Appended to @out. */
void waits_text(const struct report_summary *s, bool all, struct strbuf *out);

/* The wait or queue with that id, as text; false: there is none. */
bool waits_text_one(const struct report_summary *s, const char *id, struct strbuf *out);

/* The same fields as JSON, schema 1, always all of them. */
void waits_json(const struct report_summary *s, struct strbuf *out);

#endif
