/* SPDX-License-Identifier: MIT */
/* Looks at a run one after the other: of a program that goes on, or of one that was recorded. */
#ifndef PERSEUS_CMD_TOP_LOOP_H
#define PERSEUS_CMD_TOP_LOOP_H

#include "cmd/top/source.h"
#include "record/live/replay.h"
#include "report/top/top.h"

struct top_options {
	uint64_t pid, count;
	double interval; /* s */
	const char *filter, *purpose, *run;
	enum top_column sort;
	bool json;
	char **program; /* NULL: none is started */
};

struct top_loop {
	const struct top_options *o;
	struct top_source source;
	struct live live;
	struct top_names names;
	struct replay replay;
	bool replayed;      /* the run is over: from its record */
	uint64_t replay_ns; /* where in it */
	uint64_t looks;     /* that have rates */
	double own;         /* cores that looking took since the last look */
	uint64_t own_ns, at_ns;
	uint64_t shown; /* looks, on a stream */
	bool screen;    /* looks were drawn, not printed */
	bool begun;     /* threads were there once */
	bool second;    /* ... and at the look before, too: there are rates */
};

/*
 * Show looks until the user, the program or the count ends it: on a screen, or as tables or JSON
 * on stdout.  A run of which no thread is there any more, and that was not started here, is replayed.
 */
int top_loop_run(struct top_loop *t, struct err *err);
void top_loop_release(struct top_loop *t);

#endif
