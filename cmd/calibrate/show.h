/* SPDX-License-Identifier: MIT */
/* perseus calibrate --snoops and --show. */
#ifndef PERSEUS_CMD_CALIBRATE_SHOW_H
#define PERSEUS_CMD_CALIBRATE_SHOW_H

#include <stdbool.h>

#include "cmd/base/cmd.h"

/* Run the benchmark, print its table, write it beside the platform @output; an exit status. */
int calibrate_snoops(const struct cmd *cmd, const char *output, bool quick);

/* Print the platform of @output and the table beside it; an exit status. */
int calibrate_show(const struct cmd *cmd, const char *output);

#endif
