/* SPDX-License-Identifier: MIT */
/* The options of `perseus plan` that say what is wanted: deadlines, the power cap. */
#ifndef PERSEUS_CMD_PLAN_GOAL_H
#define PERSEUS_CMD_PLAN_GOAL_H

#include "cmd/base/cmd.h"
#include "planner/problem/goal.h"

/* "8s", "1.5 ms", or "+10%" more than the baseline; @what names the option.  An exit status. */
int plan_goal_limit(const struct cmd *cmd, const char *what, const char *text, struct limit *out);

/* Watts, as "62.5" or "62.5W", in mW.  An exit status. */
int plan_goal_cap(const struct cmd *cmd, const char *text, uint64_t *mw);

#endif
