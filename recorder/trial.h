/* SPDX-License-Identifier: MIT */
/* A plan's library in a program that is started: what has to be loaded, and what it tells. */
#ifndef PERSEUS_RECORDER_TRIAL_H
#define PERSEUS_RECORDER_TRIAL_H

#include <limits.h>

#include "lib/err.h"
#include "lib/spawn/environment.h"
#include "lib/spawn/target.h"
#include "perseus/trial.h"

struct trial_watch {
	char libraries[2 * PATH_MAX]; /* for LD_PRELOAD, behind the recording runtime */
	char program[PATH_MAX];
	char status[PATH_MAX];         /* the file, "" when there is none */
	struct prs_trial_status *page; /* of it */
};

/* Can a plan act in @t?  -ENOTSUP with the reason: a script, static, with the runtime linked in. */
int trial_possible(const struct target *t, struct err *err);

/* @library: of the plan, as codegen/trial made it.  0 or a negative errno; close it in every case. */
int trial_watch_open(struct trial_watch *w, const char *library, const struct target *t, struct err *err);
void trial_watch_close(struct trial_watch *w);

/* Before another run: forget what the one before told. */
int trial_watch_again(const struct trial_watch *w, struct err *err);

/* Append what the libraries read, LD_PRELOAD not. */
void trial_watch_environment(const struct trial_watch *w, struct environment *e);

#endif
