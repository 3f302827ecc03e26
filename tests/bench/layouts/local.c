/* SPDX-License-Identifier: MIT */
/* A static variable of a function. */
#include "crew.h"

struct count {
	long parsed APART;
	long printed APART;
};

static struct count *count(void)
{
	static struct count count __attribute__((aligned(64)));

	return &count;
}

static void setup(void)
{
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&count()->parsed, (long)work(n, 3), __ATOMIC_RELAXED);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&count()->printed, (long)work(n, 3), __ATOMIC_RELAXED);
}

static void show(void)
{
	printf("%ld %ld\n", count()->parsed, count()->printed);
}
