/* SPDX-License-Identifier: MIT */
/* What the programs of rates.py have in common. */
#ifndef RATES_H
#define RATES_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NOIPA __attribute__((noipa))

static pthread_barrier_t gate __attribute__((aligned(128)));

__attribute__((unused)) static NOIPA double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

__attribute__((unused)) static NOIPA void nap(long us)
{
	struct timespec t = {us / 1000000, us % 1000000 * 1000};

	nanosleep(&t, NULL);
}

/* Until now() is @due; not at all if it is already. */
__attribute__((unused)) static NOIPA void nap_until(double due)
{
	double left = due - now();

	if (left > 0)
		nap((long)(left * 1e6));
}

/* About @n nanoseconds: one multiplication behind the other. */
__attribute__((unused)) static NOIPA long work(long x, long n)
{
	for (long i = 0; i < n; i++)
		x = x * 6364136223846793005L + 1;
	return x;
}

__attribute__((unused)) static NOIPA void sink(long x)
{
	__asm__ volatile("" ::"r"(x));
}

/* One write: lines of two threads are not mixed. */
__attribute__((unused)) static NOIPA void say(const char *cell, int thread, long accesses)
{
	char line[96];
	int n = snprintf(line, sizeof(line), "@ %s %d %ld\n", cell, thread, accesses);

	if (write(1, line, (size_t)n) != n)
		exit(3);
}

#endif
