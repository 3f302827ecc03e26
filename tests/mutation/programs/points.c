/* SPDX-License-Identifier: MIT */
/*
 * Three workers and a helper that one of them creates; triggers before and
 * behind calls in two functions, one of them called by two callers.
 */
#include <pthread.h>
#include <stdio.h>

#define WORKERS 3
#define ROUNDS	12

static pthread_barrier_t barrier;
static unsigned long sum[WORKERS + 1];
static volatile unsigned limit = ROUNDS;

__attribute__((noinline)) void filter(unsigned long *x, unsigned round)
{
	*x = *x * 2654435761u + round;
}

__attribute__((noinline)) void half(unsigned long *x, unsigned round)
{
	filter(x, round);
	pthread_barrier_wait(&barrier);
}

static void *helper(void *arg)
{
	filter(arg, 1);
	return arg;
}

static void *worker(void *arg)
{
	long me = (long)arg;
	pthread_t thread;
	int failed = 1;

	if (me == 1)
		failed = pthread_create(&thread, NULL, helper, &sum[WORKERS]);
	if (!failed)
		pthread_join(thread, NULL);
	for (unsigned round = 0; round < ROUNDS; round++) {
		half(&sum[me], round);
		if (round < limit)
			pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[WORKERS];
	unsigned long total = 0;

	pthread_barrier_init(&barrier, NULL, WORKERS);
	for (long i = 0; i < WORKERS; i++)
		if (pthread_create(&thread[i], NULL, worker, (void *)i))
			return 2;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i <= WORKERS; i++)
		total += sum[i];
	printf("%lu\n", total);
	return 0;
}
