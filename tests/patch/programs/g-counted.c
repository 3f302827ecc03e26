/* SPDX-License-Identifier: MIT */
#include "two.h"

static volatile int part[4] = {1, 2, 3, 4};
#define COUNT (sizeof part / sizeof *part)

static void *run(void *arg)
{
	volatile int *p = arg;
	long i;

	for (i = 0; i < TURNS; i++)
		*p = *p + 1;
	return NULL;
}

int main(void)
{
	int sum = 0, bad;
	unsigned i;

	mine(0, &part[1], sizeof(int));
	mine(1, &part[2], sizeof(int));
	bad = two(run, (void *)&part[1], run, (void *)&part[2]);
	for (i = 0; i < COUNT; i++)
		sum += part[i];
	return sum == 2 * TURNS + 10 ? bad : 2;
}
