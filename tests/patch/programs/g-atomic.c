/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include "two.h"

static _Atomic int hits[2];
static atomic_long ups, downs;

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		atomic_fetch_add_explicit(&hits[me], 1, memory_order_relaxed);
		AGAIN;
	}
	return NULL;
}

static void *run_at(void *arg)
{
	atomic_long *at = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		atomic_fetch_add(at, 1);
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	int bad;

	mine(0, &hits[0], 4);
	mine(1, &hits[1], 4);
	bad = two(run, (void *)0, run, (void *)1);
	two_n = 0;
	mine(0, &ups, 8);
	mine(1, &downs, 8);
	return two(run_at, &ups, run_at, &downs) | bad;
}
