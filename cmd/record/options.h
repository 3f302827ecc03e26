/* SPDX-License-Identifier: MIT */
/* The command line of `perseus record`. */
#ifndef PERSEUS_CMD_RECORD_OPTIONS_H
#define PERSEUS_CMD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/base/cmd.h"
#include "cmd/record/counters.h"
#include "cmd/record/energy.h"
#include "cmd/record/start.h"
#include "cmd/record/trace.h"
#include "cmd/record/try.h"

struct record_options {
	const char *out;
	const char *purpose;
	const char *sharing; /* NULL: not said */
	uint64_t block_us, limit_mb;
	uint32_t budget_ppm; /* millionths, 0: no promise */
	bool quiet;
	bool trap;          /* denormals of a program without probes */
	uint64_t trap_rate; /* of a thread in a second, 0: all */
	struct record_start start;
	struct record_events events;
	struct record_trace trace;
	struct record_energy energy;
	struct record_try plan_try;
	char **program; /* its argv, NULL-terminated */
};

/* Read @argv into @o, whose texts point into it: 0, or CMD_USAGE after saying what is wrong, or CMD_HELP. */
int record_options_read(struct record_options *o, const struct cmd *cmd, int argc, char **argv);

#endif
