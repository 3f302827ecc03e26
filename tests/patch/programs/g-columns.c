/* SPDX-License-Identifier: MIT */
#include "two.h"

static int hits[8][2];

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		hits[i % 8][me]++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	int i;

	for (i = 0; i < 8; i++) {
		mine(0, &hits[i][0], 4);
		mine(1, &hits[i][1], 4);
	}
	return two(run, (void *)0, run, (void *)1);
}
