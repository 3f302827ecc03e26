/* SPDX-License-Identifier: MIT */
/* perseus record --try: a plan that acts in the program while it is recorded. */
#ifndef PERSEUS_CMD_RECORD_TRY_H
#define PERSEUS_CMD_RECORD_TRY_H

#include "cmd/try/try.h"
#include "recorder/trial.h"
#include "yaml/manifest.h"

struct record_options;

struct record_try {
	const char *plan;   /* NULL: none */
	const char *socket; /* of perseusd; NULL: the usual one */
	struct trial_made made;
	struct trial_watch watch;
};

/* Does it agree with the other options?  0 or -EINVAL. */
int record_try_check(const struct record_options *o, struct err *err);

/* Compile the plan for the program, and mark the run; without a plan nothing. */
int record_try_prepare(struct record_try *t, const struct target *target, struct manifest *m,
		       struct err *err);

/* For struct preload. */
const struct trial_watch *record_try_watch(const struct record_try *t);

/* Say on stderr what the plan did, unless @quiet, and free all. */
void record_try_end(struct record_try *t, const char *program, const struct child_result *child, bool quiet);

#endif
