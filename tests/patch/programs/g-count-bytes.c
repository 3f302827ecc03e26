/* SPDX-License-Identifier: MIT */
#include "two.h"

static long seen[2];

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		seen[me]++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	size_t i;

	mine(0, &seen[0], sizeof(long));
	mine(1, &seen[1], sizeof(long));
	for (i = 0; i < sizeof(seen) / sizeof(long); i++)
		seen[i] = 0;
	return two(run, (void *)0, run, (void *)1);
}
