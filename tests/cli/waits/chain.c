/* SPDX-License-Identifier: MIT */
/* A lock that is only held because another one is waited for; and who comes last to a barrier. */
#include <pthread.h>
#include <time.h>

#define ROUNDS 20
#define MS     1000000l

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t line;

static void rest(long ns)
{
	struct timespec t = {0, ns};

	nanosleep(&t, NULL);
}

static void *keeper(void *x)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&second);
		pthread_barrier_wait(&line);
		rest(20 * MS);
		pthread_mutex_unlock(&second);
		pthread_barrier_wait(&line);
	}
	return x;
}

/* Holds the first lock while it waits for the second, and nothing else. */
static void *middle(void *x)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&line);
		pthread_mutex_lock(&first);
		pthread_mutex_lock(&second);
		pthread_mutex_unlock(&second);
		pthread_mutex_unlock(&first);
		pthread_barrier_wait(&line);
	}
	return x;
}

static void *leaf(void *x)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&line);
		rest(5 * MS);
		pthread_mutex_lock(&first);
		pthread_mutex_unlock(&first);
		pthread_barrier_wait(&line);
	}
	return x;
}

int main(void)
{
	pthread_t t[3];

	pthread_barrier_init(&line, NULL, 3);
	pthread_create(&t[0], NULL, keeper, NULL);
	pthread_create(&t[1], NULL, middle, NULL);
	pthread_create(&t[2], NULL, leaf, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
