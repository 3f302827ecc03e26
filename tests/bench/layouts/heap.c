/* SPDX-License-Identifier: MIT */
/* Elements of an array of structs on the heap. */
#include "crew.h"

struct job {
	long sum APART;
	int kind;
};
static struct job *jobs;

static void setup(void)
{
	jobs = (struct job *)BLOCK(4, sizeof(*jobs));
	for (int i = 0; i < 4; i++)
		jobs[i].sum = 0;
}

static void first(unsigned long n)
{
	__atomic_fetch_add(&jobs[0].sum, (long)(work(n, 2) >> 40), __ATOMIC_RELAXED);
}

static void second(unsigned long n)
{
	__atomic_fetch_add(&jobs[1].sum, (long)(work(n, 2) >> 41), __ATOMIC_RELAXED);
}

static void show(void)
{
	printf("%ld %ld\n", jobs[0].sum, jobs[1].sum);
	free(jobs);
}
