/* SPDX-License-Identifier: MIT */
/*
 * Two threads, and what they write.  Every program of this folder names the
 * bytes of each thread, so that it can say itself whether they share a line.
 */
#ifndef TWO_H
#define TWO_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TURNS
#define TURNS 20000000
#endif

/* The compiler may not keep sums in registers. */
#define AGAIN __asm__ volatile("" ::: "memory")

typedef void *(*two_run)(void *);

static struct { int thread; unsigned long from, to; } two_bytes[64];
static int two_n;

/* Thread @thread writes @n bytes at @p. */
static void mine(int thread, const volatile void *p, unsigned long n)
{
	two_bytes[two_n].thread = thread;
	two_bytes[two_n].from = (unsigned long)p / 64;
	two_bytes[two_n].to = ((unsigned long)p + n - 1) / 64;
	two_n++;
}

/* Run both to their end; returns the exit status: 1 if they share a line. */
static __attribute__((noinline)) int two(two_run f, void *a, two_run g, void *b)
{
	pthread_t x, y;
	int i, k, bad = 0;

	pthread_create(&x, NULL, f, a);
	pthread_create(&y, NULL, g, b);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	for (i = 0; i < two_n; i++)
		for (k = 0; k < i; k++)
			if (two_bytes[i].thread != two_bytes[k].thread &&
			    two_bytes[i].from <= two_bytes[k].to && two_bytes[k].from <= two_bytes[i].to)
				bad = 1;
	printf(bad ? "they share a line\n" : "they are apart\n");
	return bad;
}

#endif
