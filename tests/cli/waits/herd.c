/* SPDX-License-Identifier: MIT */
/* Three that wait at one condition, and go on one after the other. */
#include <pthread.h>
#include <time.h>

#define ROUNDS 10

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int round_now;

static void rest(long ms)
{
	struct timespec t = {0, ms * 1000000};

	nanosleep(&t, NULL);
}

static void *worker(void *x)
{
	pthread_mutex_lock(&door);
	for (int seen = 0; seen < ROUNDS; seen++) {
		while (round_now <= seen)
			pthread_cond_wait(&go, &door);
		rest(5);
	}
	pthread_mutex_unlock(&door);
	return x;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		rest(25);
		pthread_mutex_lock(&door);
		round_now++;
		pthread_cond_broadcast(&go);
		pthread_mutex_unlock(&door);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
