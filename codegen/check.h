/* SPDX-License-Identifier: MIT */
/* What a plan must fulfil before C is made of it. */
#ifndef PERSEUS_CODEGEN_CHECK_H
#define PERSEUS_CODEGEN_CHECK_H

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

#endif
