/* SPDX-License-Identifier: MIT */
/*
 * Two threads that work side by side until each has worked for some of its own
 * processor time and has seen the other move in many of its turns: how long
 * that takes is the machine's affair.  Nothing in here has probes.
 */
#ifndef TESTS_TOGETHER_H
#define TESTS_TOGETHER_H

#include <time.h>

static struct {
	volatile long turns;
	volatile int enough;
	char apart[112];
} together[2];

/* Once a turn by thread @me, 0 or 1: is another turn needed?  Not before both had @cpu_s, and @met turns that met. */
__attribute__((noinline, no_instrument_function)) static int together_more(int me, double cpu_s, long met)
{
	static __thread long last, seen;
	struct timespec t;

	together[me].turns++;
	seen += together[!me].turns != last;
	last = together[!me].turns;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	if (seen >= met && (double)t.tv_sec + (double)t.tv_nsec * 1e-9 >= cpu_s)
		together[me].enough = 1;
	return !(together[0].enough && together[1].enough);
}

#endif
