/* SPDX-License-Identifier: MIT */
/* Static variables that two threads add to atomically, with work between. */
#include "crew.h"

static long sent APART __attribute__((aligned(16))) = 1;
static long received APART = 1;
static unsigned long kept[32] __attribute__((aligned(64)));

static void setup(void)
{
}

static void first(unsigned long n)
{
	kept[0] = work(kept[0], 6);
	__atomic_fetch_add(&sent, (long)n, __ATOMIC_RELAXED);
}

static void second(unsigned long n)
{
	kept[16] = work(kept[16], 6);
	__atomic_fetch_add(&received, (long)n, __ATOMIC_RELAXED);
}

static void show(void)
{
	printf("%ld %ld %lu\n", sent, received, kept[0] + kept[16]);
}
