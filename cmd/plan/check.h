/* SPDX-License-Identifier: MIT */
/* `perseus plan check`: does a plan fit a platform? */
#ifndef PERSEUS_CMD_PLAN_CHECK_H
#define PERSEUS_CMD_PLAN_CHECK_H

#include "cmd/base/cmd.h"

/*
 * Reads the plan against the platform, so that a message can name line and
 * column, and then asks the independent checker.  argv[0] is "check".
 * Returns an exit status.
 */
int plan_check(const struct cmd *cmd, int argc, char **argv);

#endif
