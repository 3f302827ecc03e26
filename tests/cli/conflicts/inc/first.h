/* SPDX-License-Identifier: MIT */
/* How much two threads fight must not depend on who else uses the machine.  Before all other headers. */
#ifndef FIRST_H
#define FIRST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>

/* The thread goes before others, on a core of its own; 0: where the system does not let it. */
static int go_first(long id)
{
	struct sched_param before_others = {1};
	cpu_set_t all, one;
	int core = -1;

	if (sched_setscheduler(0, SCHED_FIFO, &before_others))
		return 0;
	sched_getaffinity(0, sizeof(all), &all);
	for (long n = 0; n <= id && core + 1 < CPU_SETSIZE; n++)
		do
			core++;
		while (core + 1 < CPU_SETSIZE && !CPU_ISSET(core, &all));
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	return !sched_setaffinity(0, sizeof(one), &one);
}

#endif
