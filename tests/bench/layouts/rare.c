/* SPDX-License-Identifier: MIT */
/* Fields that threads come to after much other work: little is to be gained. */
#include "crew.h"

struct totals {
	long parsed APART;
	long printed APART;
};
static struct totals totals __attribute__((aligned(64)));

static void setup(void)
{
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&totals.parsed, (long)work(n, 400), __ATOMIC_RELAXED);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&totals.printed, (long)work(n, 400), __ATOMIC_RELAXED);
}

static void show(void)
{
	printf("%ld %ld\n", totals.parsed, totals.printed);
}
