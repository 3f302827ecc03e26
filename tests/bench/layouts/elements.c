/* SPDX-License-Identifier: MIT */
/* Elements of a global array of structs, one for each thread. */
#include "crew.h"

struct worker {
	long done APART;
	volatile long failed;
};
static struct worker workers[2] __attribute__((aligned(64)));

static void setup(void)
{
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&workers[0].done, (long)work(n, 2), __ATOMIC_RELAXED);
	workers[0].failed += (long)(n & 1);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&workers[1].done, (long)work(n, 2), __ATOMIC_RELAXED);
	workers[1].failed += (long)(n & 3);
}

static void show(void)
{
	printf("%ld %ld %ld %ld\n", workers[0].done, workers[0].failed, workers[1].done, workers[1].failed);
}
