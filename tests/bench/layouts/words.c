/* SPDX-License-Identifier: MIT */
/* Elements of an array of numbers: no layout of a declaration parts them, so that is refused. */
#include "crew.h"

#ifdef PADDED
#define AT(i) ((i) * 16)
#else
#define AT(i) (i)
#endif
static long words[32] __attribute__((aligned(64)));

static void setup(void)
{
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&words[AT(0)], (long)work(n, 2), __ATOMIC_RELAXED);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&words[AT(1)], (long)work(n, 2), __ATOMIC_RELAXED);
}

static void show(void)
{
	printf("%ld %ld\n", words[AT(0)], words[AT(1)]);
}
