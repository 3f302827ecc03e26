/* SPDX-License-Identifier: MIT */
#ifndef PERSEUS_PLANNER_RESULT_EMIT_H
#define PERSEUS_PLANNER_RESULT_EMIT_H

#include "lib/err.h"
#include "planner/result/outcome.h"

/*
 * Write the result as a plan, which the caller releases by plan_release().
 * -E2BIG: more triggers than can be numbered; @plan is empty then.
 */
int planner_emit(const struct outcome *o, struct plan *plan, struct err *err);

/*
 * A trigger that acts at one visit, and one that does the same at all those after it,
 * become one, with the reasons and the evidence of both.  Before triggers are numbered.
 */
void emit_join(struct plan *plan);

/* How many thread starts and triggers the best design needs, whatever the verdict. */
uint32_t emit_count(const struct outcome *o);

/* With several inputs: make the figures of the plan, so far sums, those of the mean or of the worst input. */
void emit_inputs(const struct outcome *o, struct plan *plan);

#endif
