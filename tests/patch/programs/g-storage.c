/* SPDX-License-Identifier: MIT */
#include "two.h"

_Alignas(64) static long count[2];

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
	mine(0, &count[0], sizeof(count[0]));
	mine(1, &count[1], sizeof(count[1]));
	return two(run, (void *)0, run, (void *)1);
}
