/* SPDX-License-Identifier: MIT */
/* perseus denormals --plan: flush-to-zero in the functions where denormals are born, as a plan. */
#ifndef PERSEUS_CMD_DENORMALS_PLAN_H
#define PERSEUS_CMD_DENORMALS_PLAN_H

#include "cmd/denormals/attempt.h"
#include "lib/err.h"
#include "lib/strbuf.h"
#include "report/denormal/report.h"
#include "yaml/platform.h"

/*
 * Append a plan in canonical form to @text: one flush for each function with births in @run, most births first, for
 * the machine @here, whose prices it has.  -ENODATA: there are none; -ENOSPC: in more functions than a plan can have;
 * -ENOENT: @here is NULL.
 */
int flush_plan_make(const struct denormal_run *run, const struct platform *here, struct strbuf *text,
		    struct err *err);

/*
 * Write what the experiment @w saw into the flush of o->function of the plan @path.  -ENOENT: it has none.
 */
int flush_plan_note(const char *path, const struct attempt *w, const struct attempt_opts *o, struct err *err);

#endif
