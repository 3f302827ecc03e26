/* SPDX-License-Identifier: MIT */
/* What `perseus plan` says about a plan. */
#ifndef PERSEUS_CMD_PLAN_PRINT_PRINT_H
#define PERSEUS_CMD_PLAN_PRINT_PRINT_H

#include "planner/weigh.h"

/*
 * The summary on stdout: baseline, plan, bound, what it turns on, what it
 * decides; with @sensitivity the table of all figures, too; @w: how its layouts were
 * chosen, or NULL.
 */
void plan_print(const struct outcome *o, const struct plan *plan, const struct weighing *w,
		const char *output, bool sensitivity);

/* The same fields as JSON. */
void plan_print_json(const struct outcome *o, const struct plan *plan, const struct weighing *w,
		     const char *output, bool sensitivity);

#endif
