/* SPDX-License-Identifier: MIT */
/* Who called whom where only some calls are timed; nobody outside of report/ includes it. */
#ifndef PERSEUS_REPORT_TIME_CALLERS_H
#define PERSEUS_REPORT_TIME_CALLERS_H

#include "record/run.h"

#define CALLER_NONE 0xffffffffu

/*
 * For each of @t->calls the index of the call record that it was called from,
 * or CALLER_NONE: from the start routine, or from where is not known.  @rank
 * gives the index in @t->calls of each of @t->records.  Following callers
 * always ends.  The caller frees the array.
 */
uint32_t *callers_find(const struct run_process *p, const struct run_thread *t, const uint32_t *rank);

#endif
