/* SPDX-License-Identifier: MIT */
/* perseus plan --layouts: the file of proposed layouts, and the choice among them. */
#ifndef PERSEUS_CMD_PLAN_WEIGH_H
#define PERSEUS_CMD_PLAN_WEIGH_H

#include "cmd/plan/options.h"
#include "planner/weigh.h"

struct plan_weigh {
	struct plan proposed;
	struct weighing w;
};

/*
 * Read o->layouts, a plan of the program of @model, and choose.  plan_weigh_release() in every case.
 * Errors as plan_load() and planner_run().
 */
int plan_weigh_run(struct plan_weigh *x, const struct plan_options *o, const struct model *model,
		   const struct platform *platform, struct err *err);
void plan_weigh_release(struct plan_weigh *x);

#endif
