/* SPDX-License-Identifier: MIT */
/* turns N: two threads take turns by semaphores. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t mine, yours;
static long turns, ball;

__attribute__((noinline)) static void play(sem_t *wait, sem_t *next)
{
	sem_wait(wait);
	for (int i = 0; i < 500; i++)
		ball = ball * 48271 % 2147483647 + 1;
	sem_post(next);
}

static void *other(void *unused)
{
	for (long i = 0; i < turns; i++)
		play(&yours, &mine);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;

	turns = argc > 1 ? atol(argv[1]) : 40000;
	sem_init(&mine, 0, 1);
	sem_init(&yours, 0, 0);
	pthread_create(&t, NULL, other, NULL);
	for (long i = 0; i < turns; i++)
		play(&mine, &yours);
	pthread_join(t, NULL);
	printf("%ld\n", ball);
	return 0;
}
