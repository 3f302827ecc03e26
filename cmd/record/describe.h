/* SPDX-License-Identifier: MIT */
/* What a manifest says before the program starts. */
#ifndef PERSEUS_CMD_RECORD_DESCRIBE_H
#define PERSEUS_CMD_RECORD_DESCRIBE_H

#include "cmd/record/options.h"
#include "lib/spawn/target.h"
#include "yaml/manifest.h"

/* The program, its words, what the run is for, and the machine as it is now. */
void record_describe(struct manifest *m, const struct target *t, const struct record_options *o);

#endif
