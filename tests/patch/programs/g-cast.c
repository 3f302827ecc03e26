/* SPDX-License-Identifier: MIT */
#include "two.h"

/* Elements through a cast that makes them volatile. */
static long seen[2];

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++)
		((volatile long *)seen)[me]++;
	return NULL;
}

int main(void)
{
	mine(0, &seen[0], sizeof(long));
	mine(1, &seen[1], sizeof(long));
	return two(run, (void *)0, run, (void *)1);
}
