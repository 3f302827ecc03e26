/* SPDX-License-Identifier: MIT */
#include "two.h"

static int hits[2], misses[2];

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		hits[me]++;
		misses[me] += 2;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		mine(i, &hits[i], 4);
		mine(i, &misses[i], 4);
	}
	return two(run, (void *)0, run, (void *)1);
}
