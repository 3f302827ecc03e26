/* SPDX-License-Identifier: MIT */
#include "two.h"

#define LONG long
/* What each thread keeps. */
struct keep /* one per thread */
{
	LONG n; /* a count; with a brace } */
	/* struct keep { long n; }; */
	LONG sum; // of all
};

static struct keep keep[2]; /* two of them */

static void *run(void *arg)
{
	struct keep *k = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		k->n++;
		k->sum += k->n;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, &keep[0].n, 16);
	mine(1, &keep[1].n, 16);
	return two(run, keep, run, keep + 1);
}
