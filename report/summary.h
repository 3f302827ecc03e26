/* SPDX-License-Identifier: MIT */
/* The summary of a run, made and printed. */
#ifndef PERSEUS_REPORT_SUMMARY_H
#define PERSEUS_REPORT_SUMMARY_H

#include "lib/err.h"
#include "lib/strbuf.h"
#include "report/time/types.h"

/* Compute a summary.  It points into @run, which must outlive it; release with report_summary_release(). */
void report_summarise(struct report_summary *s, const struct run *run);
void report_summary_release(struct report_summary *s);

/* The text and JSON of `perseus report`, appended to @out. */
void report_text(const struct report_summary *s, const struct report_view *view, struct strbuf *out);
void report_json(const struct report_summary *s, const struct report_view *view, struct strbuf *out);

/*
 * The 15 lines at the end of `perseus record`, appended to @out: may I trust
 * this run, where does the time go, what is wrong, what next.  Returns 0, or
 * a negative errno with @err set and @out unchanged.
 */
int report_summary_text(const struct run *run, struct strbuf *out, struct err *err);

#endif
