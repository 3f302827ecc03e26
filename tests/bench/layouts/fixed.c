/* SPDX-License-Identifier: MIT */
/* Fields of a struct whose size the program asserts: a layout would stop its build, so it is refused. */
#include "crew.h"

struct point {
	long x APART;
	long y APART;
};
#ifndef PADDED
_Static_assert(sizeof(struct point) == 16, "its bytes are sent");
#endif
static struct point point __attribute__((aligned(64)));

static void setup(void)
{
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&point.x, (long)work(n, 4), __ATOMIC_RELAXED);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&point.y, (long)work(n, 4), __ATOMIC_RELAXED);
}

static void show(void)
{
	printf("%ld %ld\n", point.x, point.y);
}
