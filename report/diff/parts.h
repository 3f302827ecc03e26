/* SPDX-License-Identifier: MIT */
/* What the sources of a diff share. */
#ifndef PERSEUS_REPORT_DIFF_PARTS_H
#define PERSEUS_REPORT_DIFF_PARTS_H

#include "report/diff/diff.h"

/* Recordings of both sides. */
size_t diff_recordings(const struct diff *d);

/* Fill the rows of @d: what belongs together, by key or by other name. */
void diff_match(struct diff *d);

/* Figures, differences, and what can be told of them; brings the rows into order. */
void diff_judge(struct diff *d);

/* Is the row worth a line?  @all: rows that did not change as well. */
bool diff_shown(const struct diff_row *r, bool all);

/* A value of a row with its unit.  Returns @buf. */
const char *diff_value(const struct diff *d, double value, char *buf, size_t size);

/* The first line: what changed. */
void diff_answer(const struct diff *d, struct strbuf *out);

/* The thread time of both sides of a timing run, and by how much it differs. */
void diff_whole(const struct diff *d, struct strbuf *out);

/* What else than the build differs: a line each, wrapped with an indent. */
void diff_cautions(const struct diff *d, struct strbuf *out);

/* What could not be told, and what would tell it, as one paragraph, wrapped. */
void diff_limits(const struct diff *d, struct strbuf *out);

#endif
