/* SPDX-License-Identifier: MIT */
/* What a plan decides: threads and their cores, and triggers, each with its evidence. */
#ifndef PERSEUS_CMD_PLAN_PRINT_DECIDE_H
#define PERSEUS_CMD_PLAN_PRINT_DECIDE_H

#include "planner/result/outcome.h"

/* The lines `decides` and `trigger` on stdout, eight of each at most. */
void plan_decide_print(const struct outcome *o, const struct plan *plan);

#endif
