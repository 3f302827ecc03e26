/* SPDX-License-Identifier: MIT */
/* perseus record --purpose=denormal: what is said of programs that count nothing. */
#ifndef PERSEUS_CMD_RECORD_COUNTS_H
#define PERSEUS_CMD_RECORD_COUNTS_H

#include "cmd/record/options.h"
#include "lib/spawn/target.h"

/* Options that a run of counts has no use for: -EINVAL names the first one that was given. */
int record_counts_check(const struct record_options *o, struct err *err);

/* -ENOTSUP: nothing can be preloaded into @t. */
int record_counts_possible(const struct target *t, const char *program, struct err *err);

/* Before @program, found as @t, runs for long: it was not built to be counted. */
void record_counts_warn(const struct target *t, const char *program);

/*
 * Nothing was counted: say why.  @status is that of the program, as of a shell;
 * the status that perseus record ends with is returned.
 */
int record_counts_explain(const struct target *t, const char *program, int status);

#endif
