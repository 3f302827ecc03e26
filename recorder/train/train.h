/* SPDX-License-Identifier: MIT */
/* Training: programs run under a meter and counters, one row of a table each. */
#ifndef PERSEUS_RECORDER_TRAIN_TRAIN_H
#define PERSEUS_RECORDER_TRAIN_TRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "platform/meter/meter.h"

struct train_options {
	const char *output;      /* the table; rows that it has are not run again */
	const char *compiler;    /* gcc */
	const char *sources;     /* folder that keeps the programs, NULL: none */
	const char *sysroot;     /* of the meter */
	const char *events;      /* NULL: generic ones that are usable */
	enum meter_kind kind;    /* METER_KINDS: the best one */
	uint64_t seed, programs; /* programs: with those of one kind of work each */
	uint64_t most_cores;     /* 1, 2, 4, ... up to so many; 0: all that there are */
	double seconds;          /* of one run */
	double budget;           /* s of all */
};

/* How far it is. */
struct train_progress {
	uint64_t done, had, all; /* rows; had: of an earlier call */
	double spent, left;      /* s; left: an estimate for the rest of the plan, no more than the budget */
	const char *program;
	uint64_t cores;
};
typedef void train_tell(void *arg, const struct train_progress *p);

/*
 * Run what is not in the table yet, until all of the plan is done or the budget is
 * spent: programs of one kind of work and mixes in turn, each with all numbers of cores,
 * so that what is there at any time is balanced.  Rows are written as they come.  @progress has
 * how far it got.  -ENOENT, -EACCES: no meter; -EINVAL: the table is of other
 * columns; -EIO: a program does not compile or run.
 */
int train_run(const struct train_options *o, train_tell *tell, void *arg, struct train_progress *progress,
	      struct err *err);

#endif
