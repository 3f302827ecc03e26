/* SPDX-License-Identifier: MIT */
/* perseus tune --plans: the values of a tunable are plans, which act in the program as with perseus try. */
#ifndef PERSEUS_CMD_TUNE_PLANS_H
#define PERSEUS_CMD_TUNE_PLANS_H

#include "codegen/trial/trial.h"
#include "lib/spawn/environment.h"
#include "lib/spawn/target.h"
#include "recorder/trial.h"
#include "tuner/space/space.h"

struct tune_plans {
	size_t tunable; /* SIZE_MAX: none */
	size_t n;
	const char *socket;        /* of perseusd; NULL: the usual one */
	struct trial_made *made;   /* by value; not used for `none` */
	struct trial_watch *watch; /* likewise */
};

/*
 * Compile the plans of tunable @name for the program, into @keep unless it is NULL; perseusd at @socket lends
 * them frequency steps.  Close it in every case.
 */
int tune_plans_open(struct tune_plans *p, const struct space *space, const char *name, const char *program,
		    const char *keep, const char *socket, struct err *err);
void tune_plans_close(struct tune_plans *p);

/* What the program finds in its environment with setting @x. */
void tune_plans_environment(const struct tune_plans *p, const struct space *space, const struct setting *x,
			    struct environment *e);

/* Before a run with setting @x. */
int tune_plans_begin(const struct tune_plans *p, const struct setting *x, struct err *err);

/* After it, however it ended: the next run finds no frequency step of this one. */
void tune_plans_end(const struct tune_plans *p, const struct setting *x);

/* ... if it ended well: -ENOTSUP if the plan of @x set nothing in it, or less than it was to. */
int tune_plans_acted(const struct tune_plans *p, const struct space *space, const struct setting *x,
		     struct err *err);

#endif
