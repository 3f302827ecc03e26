/* SPDX-License-Identifier: MIT */
/* Core frequency of a run: what turns CPU time into core cycles. */
#ifndef PERSEUS_ANALYZER_TIME_CLOCK_H
#define PERSEUS_ANALYZER_TIME_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "record/run.h"

/*
 * kHz of a core in @run: as calibrated by the recorder, else (*@calibrated
 * false) that of the time-stamp counter; never 0.
 */
uint64_t core_khz(const struct run *run, bool *calibrated);

/*
 * Number of the event that counted core cycles in every thread of process @p
 * for most of its life; -1: there is none, and CPU time has to do.
 */
int counted_cycles(const struct run_process *p);

/* Run time of the program, ns: as the recorder measured it, else the span of the record; never 0. */
uint64_t run_wall_ns(const struct run *run);

#endif
