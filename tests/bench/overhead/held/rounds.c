/* SPDX-License-Identifier: MIT */
/* rounds N: two threads sieve parts of a range, and meet at a barrier after each. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART 20000

static pthread_barrier_t barrier;
static char composite[2][PART];
static long found[2];
static int rounds;

__attribute__((noinline)) static void strike(char *part, long first, long step)
{
	for (long i = (step - first % step) % step; i < PART; i += step)
		part[i] = 1;
}

__attribute__((noinline)) static long sieve(int me, long first)
{
	long n = 0;

	memset(composite[me], 0, PART);
	for (long p = 2; p * p < first + PART; p++)
		strike(composite[me], first, p);
	for (int i = 0; i < PART; i++)
		n += !composite[me][i];
	return n;
}

static void *work(void *arg)
{
	int me = *(int *)arg;

	for (int r = 0; r < rounds; r++) {
		found[me] += sieve(me, 1000000L + (long)(2 * r + me) * PART);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int number[2] = {0, 1};
	pthread_t t;

	rounds = argc > 1 ? atoi(argv[1]) : 1500;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t, NULL, work, &number[1]);
	work(&number[0]);
	pthread_join(t, NULL);
	printf("%ld\n", found[0] + found[1]);
	return 0;
}
