/* SPDX-License-Identifier: MIT */
#include "two.h"

static int hits[2][3];

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		hits[me][i % 3]++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, hits[0], 12);
	mine(1, hits[1], 12);
	return two(run, (void *)0, run, (void *)1);
}
