/* SPDX-License-Identifier: MIT */
/* Time that goes on evenly, in microseconds. */
#ifndef PERSEUS_DAEMON_MACHINE_CLOCK_H
#define PERSEUS_DAEMON_MACHINE_CLOCK_H

#include <time.h>

#include "perseus/ctl.h"

static inline prs_u64 clock_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (prs_u64)t.tv_sec * 1000000 + (prs_u64)t.tv_nsec / 1000;
}

#endif
