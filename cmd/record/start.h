/* SPDX-License-Identifier: MIT */
/* perseus record --start-signal, --delay, --duration: a part of a program's life. */
#ifndef PERSEUS_CMD_RECORD_START_H
#define PERSEUS_CMD_RECORD_START_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/spawn/child.h"
#include "perseus/control.h"

struct record_start {
	int signal;                     /* begins and ends it; 0: none */
	uint64_t delay_ns, duration_ns; /* 0: at once; to the end */
	bool quiet;
	/* Called once when the recording was stopped and the records are closed, while the program goes on. */
	void (*stopped)(void *arg);
	void *arg;

	struct prs_control *page; /* NULL: the whole life of the program */
	char dir[PATH_MAX];
	uint64_t next_ns;              /* when the word changes, CLOCK_MONOTONIC; 0: not by itself */
	uint64_t opened_ns, closed_ns; /* 0: not yet */
	uint64_t gone_ns;              /* the first of them */
	unsigned misses;               /* how often no process was found, the program having ended */
};

/* Take the value of option @name ("start-signal", "delay", "duration"): 0 or -EINVAL with the reason. */
int record_start_option(struct record_start *s, const char *name, const char *value, struct err *err);

/* The options agree with one another: 0 or -EINVAL. */
int record_start_check(const struct record_start *s, struct err *err);

/* Make the control page of the run in @dir, an absolute path, if there is an option that needs one. */
int record_start_prepare(struct record_start *s, const char *dir, struct err *err);

/* For child_spec.watch; `wake` is NULL if there is nothing to watch.  @s must outlive it. */
struct child_watch record_start_watch(struct record_start *s);

/* The program has ended: what was never begun goes.  True: something was recorded. */
bool record_start_end(struct record_start *s);

/* Why nothing was: one line on stderr; @program is its name, @status as of a shell. */
void record_start_explain(const struct record_start *s, const char *program, int status);

#endif
