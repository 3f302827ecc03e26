/* SPDX-License-Identifier: MIT */
/* Lines of the summary of a plan that compare it with something else. */
#ifndef PERSEUS_CMD_PLAN_PRINT_LINES_H
#define PERSEUS_CMD_PLAN_PRINT_LINES_H

#include "planner/result/outcome.h"

/* `against`: each baseline, not only the one asked for. */
void plan_lines_against(const struct outcome *o);

/* `simulated`: the block simulator's figures beside the fluid model's. */
void plan_lines_simulated(const struct outcome *o);

/* `keeps`: deadlines and cap of the goal, and what is left of them. */
void plan_lines_limits(const struct outcome *o);

/* `kinds`: what plans of each kind reach; `inputs`: several models planned together. */
void plan_lines_kinds(const struct outcome *o, const struct plan *plan);

#endif
