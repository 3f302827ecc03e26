/* SPDX-License-Identifier: MIT */
/* Global variables side by side, no other work: refilled lines are all the time there is. */
#include "crew.h"

volatile long hits APART __attribute__((aligned(16))) = 1;
volatile long misses APART = 1;

static void setup(void)
{
}

static void first(unsigned long n)
{
	hits += (long)n;
}

static void second(unsigned long n)
{
	misses += (long)n;
}

static void show(void)
{
	printf("%ld %ld\n", hits, misses);
}
