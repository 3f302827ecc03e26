/* SPDX-License-Identifier: MIT */
/*
 * A run that is over, as it would have looked at some moment: from the events, the block log and
 * the looks at cores of its record.  CPU time is known at some moments, and dealt evenly between
 * them; calls and cache lines are known as sums of the whole run only, so they are not shown.
 */
#ifndef PERSEUS_RECORD_LIVE_REPLAY_H
#define PERSEUS_RECORD_LIVE_REPLAY_H

#include "record/cores/cores.h"
#include "record/live/live.h"
#include "record/run.h"

struct replay_thread;

struct replay {
	struct run run;
	struct core_looks cores;
	struct replay_thread *threads; /* of all processes */
	size_t n_threads;
	uint64_t start_ns, length_ns; /* CLOCK_MONOTONIC_RAW of the first process' start */
};

/* Open the run @dir; as run_open(). */
int replay_open(struct replay *r, const char *dir, struct err *err);
void replay_close(struct replay *r);

/* Fill @l->threads with those that were there from @from to @to, ns since the start of the run. */
void replay_look(const struct replay *r, uint64_t from, uint64_t to, struct live *l);

#endif
