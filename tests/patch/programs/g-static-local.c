/* SPDX-License-Identifier: MIT */
#include "two.h"

static void *run(void *arg)
{
	static struct { long n, sum; } part[2];
	long me = (long)arg, i;

	mine((int)me, &part[me], sizeof(long) * 2);
	for (i = 0; i < TURNS; i++) {
		part[me].n++;
		part[me].sum += i;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	return two(run, (void *)0, run, (void *)1);
}
