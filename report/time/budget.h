/* SPDX-License-Identifier: MIT */
/* What was promised with `perseus record --budget`, and what came of it. */
#ifndef PERSEUS_REPORT_TIME_BUDGET_H
#define PERSEUS_REPORT_TIME_BUDGET_H

#include "lib/json.h"
#include "lib/strbuf.h"
#include "report/time/collect.h"
#include "report/time/types.h"

/* Fill s->budget from the records and @rows; all zero if nothing was promised. */
void budget_collect(struct report_summary *s, const struct row_list *rows);

/* True if there was a promise and more was spent. */
bool budget_broken(const struct report_summary *s);

/* The lines of trust about it, appended to @out; none without a promise. */
void budget_text(const struct report_summary *s, struct strbuf *out);

/* The object "budget"; nothing without a promise. */
void budget_json(const struct report_summary *s, struct json *j);

#endif
