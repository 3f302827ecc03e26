/* SPDX-License-Identifier: MIT */
/*
 * coprime [N]: how many of the numbers below N have no divisor in common with 30030?  Two
 * threads of kt_for() (klib/) share the work.  docs/tutorial.md finds out why that is slow.
 *
 * Checks its count against a closed form; exit status 1 if it is wrong.
 */
#include <stdio.h>
#include <stdlib.h>

#include "klib/kthread.h"

#define THREADS 2
#define NUMBER  30030 /* 2 * 3 * 5 * 7 * 11 * 13 */
#define PHI     5760  /* so many of 30030 in sequence are coprime to it */

/* Each thread counts in a cache line of its own: what is slow is not here. */
struct tally {
	_Alignas(64) long coprime;
};

static void look(void *data, long i, int thread)
{
	struct tally *tallies = data;
	long a = NUMBER, b = i;

	while (b) {
		long rest = a % b;

		a = b;
		b = rest;
	}
	tallies[thread].coprime += a == 1;
}

int main(int argc, char **argv)
{
	static struct tally tallies[THREADS];
	long rounds = (argc > 1 ? atol(argv[1]) : 10000000) / NUMBER;
	long sum = 0;

	kt_for(THREADS, look, tallies, rounds * NUMBER);
	for (int i = 0; i < THREADS; i++)
		sum += tallies[i].coprime;
	printf("%ld of %ld numbers are coprime to %d\n", sum, rounds * NUMBER, NUMBER);
	return sum != rounds * PHI;
}
