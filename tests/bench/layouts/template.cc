/* SPDX-License-Identifier: MIT */
/* Members of a class template. */
#include "crew.h"

template <class T> struct halves {
	T left APART;
	T right APART;
};

alignas(64) static halves<long> sides;

static void setup()
{
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&sides.left, (long)work(n, 8), __ATOMIC_RELAXED);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&sides.right, (long)work(n, 8), __ATOMIC_RELAXED);
}

static void show()
{
	printf("%ld %ld\n", sides.left, sides.right);
}
