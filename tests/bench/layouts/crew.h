/* SPDX-License-Identifier: MIT */
/*
 * Two threads, each on a core of its own, and what they share: a program says what with setup(),
 * first(n), second(n) and show().  -DPADDED makes the twin, whose data lies apart by hand.
 */
#ifndef CREW_H
#define CREW_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef PADDED
#define APART __attribute__((aligned(64)))
#define BLOCK(n, size) aligned_alloc(64, (n) * (size))
#else
#define APART
#define BLOCK(n, size) malloc((n) * (size))
#endif

static void setup(void);
static void first(unsigned long n);
static void second(unsigned long n);
static void show(void);

static long rounds = 1000000;
static pthread_barrier_t both;

/* Other work: @n multiplications, each of which waits for the one before. */
static inline __attribute__((always_inline)) unsigned long work(unsigned long x, int n)
{
	for (int i = 0; i < n; i++) {
		x = x * 2862933555777941757ul + 3037000493ul;
		__asm__("" : "+r"(x));
	}
	return x;
}

static void sit(int id)
{
	cpu_set_t may, one;

	CPU_ZERO(&one);
	sched_getaffinity(0, sizeof(may), &may);
	for (int c = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, &may) && !id--)
			CPU_SET(c, &one);
	sched_setaffinity(0, sizeof(one), &one);
	pthread_barrier_wait(&both);
}

static void *run_first(void *arg)
{
	sit(0);
	for (long i = 0, n = rounds; i < n; i++)
		first((unsigned long)i);
	return arg;
}

static void *run_second(void *arg)
{
	sit(1);
	for (long i = 0, n = rounds; i < n; i++)
		second((unsigned long)i);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	if (argc > 1)
		rounds = atol(argv[1]);
	setup();
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&a, NULL, run_first, NULL);
	pthread_create(&b, NULL, run_second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	show();
	return 0;
}

#endif
