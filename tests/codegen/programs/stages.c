/* SPDX-License-Identifier: MIT */
/*
 * Four threads, three stages with a barrier between; each says on which cores
 * it may run in each stage: `wN MASK MASK MASK`.  Nothing of Perseus in it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static char seen[4][3][256];

__attribute__((noinline)) static void look(char *text)
{
	cpu_set_t mask;
	int n = 0;

	sched_getaffinity(0, sizeof(mask), &mask);
	for (int i = 0; i < CPU_SETSIZE && n < 240; i++)
		if (CPU_ISSET(i, &mask))
			n += sprintf(text + n, "%s%d", n ? "," : "", i);
}

static void *work(void *arg)
{
	int me = (int)(long)arg;

	look(seen[me][0]);
	for (int stage = 1; stage < 3; stage++) {
		pthread_barrier_wait(&barrier);
		look(seen[me][stage]);
	}
	return arg;
}

int main(void)
{
	pthread_t thread[4];

	pthread_barrier_init(&barrier, NULL, 4);
	for (long i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)i))
			return 2;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 4; i++)
		printf("w%d %s %s %s\n", i, seen[i][0], seen[i][1], seen[i][2]);
	return 0;
}
