/* SPDX-License-Identifier: MIT */
/* A library without probes: see libmain.c. */
#include "known.h"

struct plug_stats {
	volatile long a;
	GAP(apart)
	volatile long b;
};
static struct plug_stats plug_stats __attribute__((aligned(64))); /* = plug */

void plug_run(int me)
{
	if (me == 2) {
		SAY("a", 1, plug_stats.a);
		SAY("b", 0, plug_stats.b);
	} else if (me)
		for (long i = 0; i < N; i++)
			plug_stats.a++; /* <- a */
	else
		for (long i = 0; i < N; i++)
			plug_stats.b++; /* <- b */
}
