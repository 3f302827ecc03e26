/* SPDX-License-Identifier: MIT */
/* What `perseus plan --sensitivity` says: where each figure of the platform turns the gain. */
#ifndef PERSEUS_CMD_PLAN_PRINT_SENSE_H
#define PERSEUS_CMD_PLAN_PRINT_SENSE_H

#include "lib/json.h"
#include "planner/result/outcome.h"

/* The table on stdout, the closest first, and which figure to measure better next. */
void plan_sense_print(const struct outcome *o);

/* The same as an array `sensitivity` of the object at hand. */
void plan_sense_json(const struct outcome *o, struct json *j);

/* What the saving is worth within what the platform's watts may be off by; nothing where that is not known. */
void plan_watts_print(const struct outcome *o);
void plan_watts_json(const struct outcome *o, struct json *j);

#endif
