/* SPDX-License-Identifier: MIT */
/* What `perseus plan` writes beside the plan; each returns an exit status, failures in the name of @cmd. */
#ifndef PERSEUS_CMD_PLAN_FILES_H
#define PERSEUS_CMD_PLAN_FILES_H

#include "cmd/base/cmd.h"
#include "cmd/plan/options.h"
#include "planner/planner.h"

/* The problem for outside solvers. */
int plan_write_export(const struct cmd *cmd, const struct planner *p, const struct plan_options *o);

/* The course of the search. */
int plan_write_log(const struct cmd *cmd, const struct convergence *log, const struct plan_options *o);

#endif
