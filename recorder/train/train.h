/* SPDX-License-Identifier: MIT */
/* Training: programs run under a meter and counters, one row of a table each. */
#ifndef PERSEUS_RECORDER_TRAIN_TRAIN_H
#define PERSEUS_RECORDER_TRAIN_TRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "platform/meter/meter.h"

#define TRAIN_MOST_STEPS 64

/* Frequency steps, and who sets them; n 0: the one that is set is left alone. */
struct train_steps {
	size_t n;
	double mhz[TRAIN_MOST_STEPS];
	/* All cores at step @i: 0; 1: taken, but something else is in force; a negative errno with a message. */
	int (*set)(void *context, size_t i, struct err *err);
	/* Was that so since set() returned? */
	bool (*held)(void *context);
	void *context;
};

struct train_options {
	const char *output;      /* the table; rows that it has are not run again */
	const char *compiler;    /* gcc */
	const char *sources;     /* folder that keeps the programs, NULL: none */
	const char *sysroot;     /* of the meter */
	const char *events;      /* NULL: generic ones that are usable */
	bool on_time;            /* the time that each core had a thread is an event, too */
	enum meter_kind kind;    /* METER_KINDS: the best one */
	uint64_t seed, programs; /* programs: with those of one kind of work each */
	uint64_t most_cores;     /* 1, 2, 4, ... up to so many; 0: all that there are */
	struct train_steps steps;
	double seconds; /* of one run */
	double budget;  /* s of all */
};

/* How far it is. */
struct train_progress {
	uint64_t done, had, all; /* rows; had: of an earlier call */
	double spent, left;      /* s; left: an estimate for the rest of the plan, no more than the budget */
	const char *program;
	uint64_t cores;
	double mhz;      /* 0: not known */
	size_t not_held; /* steps that were left out, since something else was in force */
};
typedef void train_tell(void *arg, const struct train_progress *p);

/*
 * Run what is not in the table yet, until all of the plan is done or the budget is
 * spent: programs of one kind of work and mixes in turn, each with all numbers of cores
 * and at all steps, so that what is there at any time is balanced.  Rows are written as they come.  @progress has
 * how far it got.  -ENOENT, -EACCES: no meter; -EINVAL: the table is of other
 * columns; -EIO: a program does not compile or run.
 */
int train_run(const struct train_options *o, train_tell *tell, void *arg, struct train_progress *progress,
	      struct err *err);

#endif
