/* SPDX-License-Identifier: MIT */
/* counts N: two threads count numbers into one histogram, by atomic additions, N rounds. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define BINS 1024

static atomic_long bins[BINS];
static int rounds;

static void add(unsigned value)
{
	atomic_fetch_add_explicit(&bins[value % BINS], 1, memory_order_relaxed);
}

static void *work(void *arg)
{
	unsigned x = (unsigned)(size_t)arg;

	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < 1000; i++) {
			x = x * 1664525u + 1013904223u;
			add(x >> 12);
		}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	long sum = 0;

	rounds = argc > 1 ? atoi(argv[1]) : 10000;
	for (size_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < BINS; i++)
		sum += bins[i];
	printf("%ld\n", sum);
	return 0;
}
