/* SPDX-License-Identifier: MIT */
#ifndef PERSEUS_PLANNER_RESULT_EMIT_INPUTS_H
#define PERSEUS_PLANNER_RESULT_EMIT_INPUTS_H

#include "planner/result/outcome.h"

/* With several inputs: make the figures of the plan, so far sums, those of the mean or of the worst input. */
void emit_inputs(const struct outcome *o, struct plan *plan);

#endif
