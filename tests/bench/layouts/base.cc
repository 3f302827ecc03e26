/* SPDX-License-Identifier: MIT */
/* Members of a base class. */
#include "crew.h"

struct counter {
	long seen APART = 0;
	long lost APART = 0;
};
struct radar : counter {
	radar(long k) : kind(k) {}
	long kind;
};

alignas(64) static radar antenna(5);

static void setup()
{
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&antenna.seen, (long)work(n, 3), __ATOMIC_RELAXED);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&antenna.lost, (long)work(n, 3), __ATOMIC_RELAXED);
}

static void show()
{
	printf("%ld %ld %ld\n", antenna.seen, antenna.lost, antenna.kind);
}
