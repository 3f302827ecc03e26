/* SPDX-License-Identifier: MIT */
/* hang: two threads take two locks in the wrong order; the program ends all the same. */
#include <pthread.h>
#include <unistd.h>

#include "asleep.h"

static pthread_mutex_t fork_a = PTHREAD_MUTEX_INITIALIZER, fork_b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static pid_t second[2]; /* who wants the second lock */

static void *left(void *arg)
{
	pthread_mutex_lock(&fork_a); /* left holds it */
	pthread_barrier_wait(&both);
	i_am(&second[0]);
	pthread_mutex_lock(&fork_b);
	return arg;
}

static void *right(void *arg)
{
	pthread_mutex_lock(&fork_b); /* right holds it */
	pthread_barrier_wait(&both);
	i_am(&second[1]);
	pthread_mutex_lock(&fork_a);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&a, NULL, left, NULL);
	pthread_create(&b, NULL, right, NULL);
	until_asleep(&second[0]);
	until_asleep(&second[1]);
	usleep(200000);
	return 0;
}
