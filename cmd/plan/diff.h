/* SPDX-License-Identifier: MIT */
/* `perseus plan diff`: what another plan means. */
#ifndef PERSEUS_CMD_PLAN_DIFF_H
#define PERSEUS_CMD_PLAN_DIFF_H

#include "cmd/base/cmd.h"

/* argv[0] is "diff".  0: they mean the same, 1: they differ, or another exit status or CMD_HELP. */
int plan_diff_run(const struct cmd *cmd, int argc, char **argv);

#endif
