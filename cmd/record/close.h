/* SPDX-License-Identifier: MIT */
/* What is done with a run that is complete. */
#ifndef PERSEUS_CMD_RECORD_CLOSE_H
#define PERSEUS_CMD_RECORD_CLOSE_H

#include "lib/err.h"
#include "recorder/rundir.h"

/* Put checksums behind the records of @dir; without them it is as good as any today, and that is no failure. */
void record_seal(const struct rundir *dir);

/* The summary of the run on stderr: 0 or a negative errno. */
int record_summarise(const struct rundir *dir, struct err *err);

#endif
