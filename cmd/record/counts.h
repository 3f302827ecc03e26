/* SPDX-License-Identifier: MIT */
/* perseus record --purpose=denormal: what is said of programs that count nothing. */
#ifndef PERSEUS_CMD_RECORD_COUNTS_H
#define PERSEUS_CMD_RECORD_COUNTS_H

#include "cmd/record/options.h"
#include "lib/spawn/target.h"
#include "recorder/rundir.h"

/* Options that a run of counts has no use for: -EINVAL names the first one that was given. */
int record_counts_check(const struct record_options *o, struct err *err);

/* -ENOTSUP: nothing can be preloaded into @t. */
int record_counts_possible(const struct target *t, const char *program, struct err *err);

/* Before @program, found as @t, runs for long: it was not built to be counted. */
void record_counts_warn(const struct target *t, const char *program);

/*
 * The program has ended with @status, as of a shell: manifest, symbols of what counted and a summary, or
 * why nothing was counted.  Returns the status that perseus record ends with.
 */
int record_counts_finish(const struct cmd *cmd, struct rundir *dir, struct manifest *m,
			 const struct target *t, const struct record_options *o, int status, struct err *err);

#endif
