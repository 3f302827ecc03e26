/* SPDX-License-Identifier: MIT */
/* hang: two threads take two locks in the wrong order; the program ends all the same. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t fork_a = PTHREAD_MUTEX_INITIALIZER, fork_b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *left(void *arg)
{
	pthread_mutex_lock(&fork_a); /* left holds it */
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&fork_b);
	return arg;
}

static void *right(void *arg)
{
	pthread_mutex_lock(&fork_b); /* right holds it */
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&fork_a);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&a, NULL, left, NULL);
	pthread_create(&b, NULL, right, NULL);
	usleep(200000);
	return 0;
}
