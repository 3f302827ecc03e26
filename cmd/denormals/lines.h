/* SPDX-License-Identifier: MIT */
/* Lines of the source that instructions come from. */
#ifndef PERSEUS_CMD_DENORMALS_LINES_H
#define PERSEUS_CMD_DENORMALS_LINES_H

#include "record/denormal/run.h"

/*
 * Give the first rows of @run's traps their file and line, by addr2line and the debug information of
 * the modules that are still the files that ran.  Where there is none, rows stay without.
 */
void trap_lines(struct denormal_run *run);

#endif
