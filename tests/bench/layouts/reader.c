/* SPDX-License-Identifier: MIT */
/* One thread writes a field, the other reads the one beside it. */
#include "crew.h"

struct config {
	volatile long limit APART;
	long used APART;
};
static struct config config __attribute__((aligned(64))) = {.limit = 3};
static unsigned long sum[16] __attribute__((aligned(64)));

static void setup(void)
{
}

static void first(unsigned long n)
{
	sum[0] = work(sum[0], 1) + (unsigned long)config.limit + n;
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&config.used, (long)n, __ATOMIC_RELAXED);
}

static void show(void)
{
	printf("%lu %ld\n", sum[0], config.used);
}
