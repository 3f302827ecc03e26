/* SPDX-License-Identifier: MIT */
/* Documents and tables of a page that tell more of the times of a run, or that others made. */
#ifndef PERSEUS_REPORT_PAGE_TABS_TABS_H
#define PERSEUS_REPORT_PAGE_TABS_TABS_H

#include <stdint.h>

#include "report/time/types.h"
#include "yaml/energy.h"
#include "yaml/plan.h"

/* The element @id with the document @json, "null" if it is empty; @json is empty afterwards. */
void page_document(struct strbuf *out, const char *id, struct strbuf *json);

/* Take blanks and ends of lines out that people read it by: of large documents they are the half. */
void page_dense(struct strbuf *json);

/* Phases of the first process: the document `phases`, the table `phase_spans`. */
void page_phases(const struct report_summary *s, struct strbuf *out);

/* How fast the cores were when a thread was on them: the document `speeds`, the table `speed_spans`; nothing without counted cycles. */
void page_speeds(const struct report_summary *s, struct strbuf *out);

/* Where a plan wants each thread when: the document `plan`, read from @path, and the table `plan_cores`. */
void page_plan(const struct report_summary *s, const struct plan *plan, const char *path, struct strbuf *out);

/*
 * Joules as perseus report --energy has them: the document `energy`, and of a meter the table `power`.
 * @model: NULL, none.  @joules: joules.yaml as text, NULL: the run's own.  Nothing if no
 * meter was tried and there is no model.
 */
void page_energy(struct report_summary *s, const struct energy *model, const char *joules,
		 struct strbuf *out);

/* The same in a sentence of the first screen. */
void page_energy_line(struct report_summary *s, const struct energy *model, const char *joules,
		      struct strbuf *out);

/*
 * What the file @meter (as of record --meter) says of the run in the directory @run,
 * appended as joules.yaml.  -ENOENT: the run was recorded without --energy; else as
 * meter_file_measure() fails.
 */
int page_energy_measure(const char *run, const char *meter, struct strbuf *out, struct err *err);

/*
 * The document `search` of the page @path that `perseus plan --watch` wrote, appended to @json.
 * -EINVAL: it is none; else as fs_read() fails.
 */
int page_search_read(struct strbuf *json, const char *path, struct err *err);

#endif
