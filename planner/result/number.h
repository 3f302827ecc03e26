/* SPDX-License-Identifier: MIT */
/*
 * Numbers of triggers, by which reviewers, generated functions and
 * requirements name them: they shall outlast the next plan.
 *
 * A number is a hash of what the trigger is: at a call the site, its instance
 * and side, else the thread and the point.  Where several threads or visits
 * act at one side of one call, that is one generated function, which has the
 * lowest of their numbers: so the first of them, by thread and visit, is
 * numbered by the call alone, in the lower half, and the others by call,
 * thread and visit in the upper half.  What a trigger sets is not part of it.
 * Where two hashes fall on one number, the next one that is free is taken, in
 * the order of the hashes.
 */
#ifndef PERSEUS_PLANNER_RESULT_NUMBER_H
#define PERSEUS_PLANNER_RESULT_NUMBER_H

#include "yaml/plan.h"

#define NUMBER_MAX 9999 /* triggers of a plan */

/* Give all triggers of @plan, at most NUMBER_MAX, their numbers, and put them in that order. */
void number_triggers(struct plan *plan);

#endif
