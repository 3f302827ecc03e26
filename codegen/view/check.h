/* SPDX-License-Identifier: MIT */
/* What a plan must fulfil before C is made of it. */
#ifndef PERSEUS_CODEGEN_VIEW_CHECK_H
#define PERSEUS_CODEGEN_VIEW_CHECK_H

#include "lib/err.h"
#include "yaml/plan.h"

#define CHECK_MAX_CORES    1024u
#define CHECK_MAX_THREADS  4096u
#define CHECK_MAX_TRIGGERS 9999u

/*
 * Indices, ranges and uniqueness, without trust in the loader: 0, or -EINVAL
 * with the item, the value seen and what was expected.
 */
int check_plan(const struct plan *p, struct err *err);

/*
 * What kind of plan it takes to do what @p does, in @need: without a trigger
 * at a call it is PLAN_KIND_START whatever it calls itself.  -EINVAL if it
 * does more than it says, or more than @limit allows; the item is named.
 */
int check_kind(const struct plan *p, enum plan_kind limit, enum plan_kind *need, struct err *err);

#endif
