/* SPDX-License-Identifier: MIT */
/* Fields of one struct, added to atomically. */
#include "crew.h"

struct stats {
	long rx APART;
	long tx APART;
};
static struct stats stats __attribute__((aligned(64)));

static void setup(void)
{
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&stats.rx, (long)work(n, 4), __ATOMIC_RELAXED);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&stats.tx, (long)work(n, 4), __ATOMIC_RELAXED);
}

static void show(void)
{
	printf("%ld %ld\n", stats.rx, stats.tx);
}
