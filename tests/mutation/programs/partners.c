/* SPDX-License-Identifier: MIT */
/*
 * Four workers in two pairs; after half of the rounds they change partners.
 * What the planner makes of this is in tests/verify/moves-model.yaml.
 */
#include <pthread.h>
#include <stdio.h>

#define WORKERS 4
#define ROUNDS	60

static pthread_barrier_t barrier;
static unsigned long sum[WORKERS];

static void *worker(void *arg)
{
	long me = (long)arg;

	for (int round = 0; round < ROUNDS; round++) {
		sum[me] += (unsigned long)(round ^ me);
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
	for (int i = 0; i < WORKERS; i++)
		total += sum[i];
	printf("%lu\n", total);
	return 0;
}
