/* SPDX-License-Identifier: MIT */
/* An array and a number of one declaration: its type cannot become another one. */
#include "two.h"

static long hits[2], rounds = 1;

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS * rounds; i++) {
		hits[me]++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, &hits[0], sizeof(hits[0]));
	mine(1, &hits[1], sizeof(hits[1]));
	return two(run, (void *)0, run, (void *)1);
}
