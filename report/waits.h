/* SPDX-License-Identifier: MIT */
/* What `perseus waits` prints: who waits for whom, and which threads feed which. */
#ifndef PERSEUS_REPORT_WAITS_H
#define PERSEUS_REPORT_WAITS_H

#include "report/summary.h"

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
