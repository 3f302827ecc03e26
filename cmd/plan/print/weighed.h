/* SPDX-License-Identifier: MIT */
/* What `perseus plan --layouts` says: neither, layouts alone, placement alone, both, and why. */
#ifndef PERSEUS_CMD_PLAN_PRINT_WEIGHED_H
#define PERSEUS_CMD_PLAN_PRINT_WEIGHED_H

#include "lib/json.h"
#include "planner/weigh.h"

/* The lines on stdout; @plan has what was chosen. */
void plan_weighed_print(const struct weighing *w, const struct plan *plan);

/* The same as `choices`, `layout_front`, `layouts` and `layouts_left` of the object at hand. */
void plan_weighed_json(const struct weighing *w, const struct plan *plan, struct json *j);

#endif
