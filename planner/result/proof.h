/* SPDX-License-Identifier: MIT */
/* What a plan must carry so that somebody else can compute its figures again. */
#ifndef PERSEUS_PLANNER_RESULT_PROOF_H
#define PERSEUS_PLANNER_RESULT_PROOF_H

#include "planner/result/outcome.h"

/*
 * Add to a plan that has its threads and phases: the model's phases in each,
 * draws, deadlines, the bound in closed form, and where threads are counted
 * that the plan does not place.
 */
void proof_emit(const struct outcome *o, struct plan *plan);

#endif
