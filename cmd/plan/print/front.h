/* SPDX-License-Identifier: MIT */
/* `perseus plan --front`: the front of time and energy, a plan for each point. */
#ifndef PERSEUS_CMD_PLAN_PRINT_FRONT_H
#define PERSEUS_CMD_PLAN_PRINT_FRONT_H

#include "cmd/base/cmd.h"
#include "lib/json.h"
#include "planner/planner.h"

#define PLAN_FRONT_POINTS 16

/*
 * Make each point's plan, to count what it sets; with @dir write them there
 * as front-01.yaml and so on, the fastest first.  An exit status.
 */
int plan_front_make(const struct cmd *cmd, struct planner *p, const char *dir);

/* The table on stdout; nothing without a front. */
void plan_front_print(const struct outcome *o);

/* The same as an array `front` of the object at hand; nothing without a front. */
void plan_front_json(const struct outcome *o, struct json *j);

#endif
