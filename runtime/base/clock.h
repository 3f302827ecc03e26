/* SPDX-License-Identifier: MIT */
/* Which clock, and how fast it runs. */
#ifndef RUNTIME_BASE_CLOCK_H
#define RUNTIME_BASE_CLOCK_H

#include "runtime/base/rt.h"

/* Choose the clock and measure its rate; sets rt.tsc, rt.tick_hz, rt.backoff_ticks. */
void clock_choose(void);

/* Ticks that one clock read costs, back to back: the smallest mean of several rounds. */
uint64_t clock_cost(void);

/* At some time of the run, @now: the clock is compared with the other one again if it is due. */
void clock_look(uint64_t now);

/* Enter start or end of the run into the header. */
void clock_mark_start(struct prs_rec_header *h);
void clock_mark_end(struct prs_rec_header *h);

#endif
