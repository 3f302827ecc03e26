/* SPDX-License-Identifier: MIT */
/* `perseus plan predict`: what is a given placement expected to take? */
#ifndef PERSEUS_CMD_PLAN_PREDICT_H
#define PERSEUS_CMD_PLAN_PREDICT_H

#include "cmd/base/cmd.h"

/*
 * Print a line for each placement (cores "0,1,0,1", or a baseline's name):
 * the placement and its time, or with --json all of them.  argv[0] is
 * "predict".  Returns an exit status.
 */
int plan_predict(const struct cmd *cmd, int argc, char **argv);

#endif
