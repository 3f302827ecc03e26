/* SPDX-License-Identifier: MIT */
/*
 * For how long each core had a thread of the programs that this process starts: the
 * clock of perf for tasks, core by core.  It needs no counter of the hardware.
 */
#ifndef PERSEUS_PLATFORM_EVENTS_ON_TIME_H
#define PERSEUS_PLATFORM_EVENTS_ON_TIME_H

#include <stddef.h>

#include "lib/err.h"

#define ON_TIME_CORES 16

struct on_time {
	size_t n;
	int core[ON_TIME_CORES]; /* as the kernel numbers them; a hardware thread is one of its own */
	int fd[ON_TIME_CORES];
};

/*
 * The cores that this process may use.  -E2BIG: more than ON_TIME_CORES; -EACCES and
 * others: perf does not allow it; the message has the reason.
 */
int on_time_choose(struct on_time *t, struct err *err);

/* Begin with the next exec() of a child: 0 or a negative errno. */
int on_time_open(struct on_time *t);

/* End: @seconds of each core. 0 or a negative errno. */
int on_time_close(struct on_time *t, double *seconds);

#endif
