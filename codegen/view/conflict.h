/* SPDX-License-Identifier: MIT */
/* Settings of a plan that contradict each other, and what in it can never act. */
#ifndef PERSEUS_CODEGEN_VIEW_CONFLICT_H
#define PERSEUS_CODEGEN_VIEW_CONFLICT_H

#include <stdbool.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "yaml/plan.h"

/* Both name the same call, or the same calls. */
bool conflict_same_site(const struct plan_site *a, const struct plan_site *b);

/*
 * One thing set to two values at the same time, a trigger that sets nothing,
 * one call at two sites: 0, or -EINVAL with the items.  Indices are in range.
 */
int conflict_check(const struct plan *p, struct err *err);

/*
 * Append a line for each thread in which something is set and which cannot,
 * or need not, appear, and for each trigger that another one could do.
 */
void conflict_notes(const struct plan *p, struct strbuf *notes);

#endif
