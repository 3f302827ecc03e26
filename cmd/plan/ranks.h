/* SPDX-License-Identifier: MIT */
/* Being one of several processes that mpirun started: see planner/heuristic/ranks.h. */
#ifndef PERSEUS_CMD_PLAN_RANKS_H
#define PERSEUS_CMD_PLAN_RANKS_H

#include "lib/err.h"
#include "planner/heuristic/ranks-module.h"

struct ranks_session {
	struct ranks ranks; /* size 0: this process is alone */
	const struct ranks_module *module;
};

/*
 * Find the others, if mpirun started this process.  All but rank 0 fall
 * silent.  -ENOTSUP: the module is not there, or the library does not start.
 */
int ranks_begin(struct ranks_session *s, struct err *err);

/* For planner_options: the processes, or NULL. */
const struct ranks *ranks_of(const struct ranks_session *s);

/*
 * Go on only together: fails on all ranks if @ret is not 0 on one, with that
 * one's message, or if one has another @hash of its inputs (-EINVAL).
 */
int ranks_join(const struct ranks_session *s, int ret, const char *hash, struct err *err);

/* Leave.  Returns the exit status: @status for rank 0, else 0, as one of them is enough for mpirun. */
int ranks_end(struct ranks_session *s, int status);

#endif
