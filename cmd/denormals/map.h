/* SPDX-License-Identifier: MIT */
/* perseus denormals --map. */
#ifndef PERSEUS_CMD_DENORMALS_MAP_H
#define PERSEUS_CMD_DENORMALS_MAP_H

#include "cmd/base/option.h"
#include "record/denormal/run.h"

/*
 * Write to @path, "-": stdout, a picture of where in the arrays of @run denormals
 * were stored, and say what is where in it.  The exit status.
 */
int map_draw(const struct cmd *cmd, const struct denormal_run *run, const char *path);

#endif
