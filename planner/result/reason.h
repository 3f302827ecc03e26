/* SPDX-License-Identifier: MIT */
/* Why the plan sets what it sets, in a sentence each. */
#ifndef PERSEUS_PLANNER_RESULT_REASON_H
#define PERSEUS_PLANNER_RESULT_REASON_H

#include "planner/result/outcome.h"

/*
 * Why a thread runs where it runs, and the evidence (comma separated ids or
 * NULL); the caller frees both.
 */
char *planner_thread_reason(const struct outcome *o, uint32_t slot, char **evidence);

/* Why domains get the steps of an epoch. */
char *planner_step_reason(const struct outcome *o, uint32_t epoch, char **evidence);

#endif
