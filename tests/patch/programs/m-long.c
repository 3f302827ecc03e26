/* SPDX-License-Identifier: MIT */
#include "two.h"

static long *count;

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		count[me]++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	count = calloc(2, sizeof(*count));
	mine(0, &count[0], 8);
	mine(1, &count[1], 8);
	return two(run, (void *)0, run, (void *)1);
}
