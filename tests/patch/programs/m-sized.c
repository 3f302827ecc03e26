/* SPDX-License-Identifier: MIT */
#include "two.h"

#define ALL for (i = 0; i < TURNS; i++)

/* The allocation names the type of the elements. */
static volatile unsigned long *count;

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	ALL count[me]++;
	return NULL;
}

int main(void)
{
	int bad;

	count = (volatile unsigned long *)malloc(2 * sizeof(unsigned long));
	if (count == NULL)
		return 3;
	count[0] = count[1] = 0;
	mine(0, &count[0], 8);
	mine(1, &count[1], 8);
	bad = two(run, (void *)0, run, (void *)1);
	free((void *)count);
	return bad;
}
