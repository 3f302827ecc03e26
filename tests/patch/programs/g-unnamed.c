/* SPDX-License-Identifier: MIT */
#include "two.h"

static struct {
	long n;
	unsigned char flag;
} work[2];

static void *run(void *arg)
{
	long k = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		work[k].n++;
		work[k].flag = (unsigned char)i;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, &work[0], sizeof(work[0].n) + 1);
	mine(1, &work[1], sizeof(work[0].n) + 1);
	return two(run, (void *)0, run, (void *)1);
}
