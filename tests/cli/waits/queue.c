/* SPDX-License-Identifier: MIT */
/* queue c|s|p MAKE_US USE_US: a maker and a user, a queue of conditions, semaphores or a pipe between. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "asleep.h"
#define N 4
static struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled, space;
	int n;
	long item[N];
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, {0}};
static sem_t full, empty;
static int ends[2];
static int how;
static pid_t maker_tid, user_tid;
static void rest(long us)
{
	struct timespec t = {0, us * 1000};
	if (us)
		nanosleep(&t, NULL);
}
static void put_cond(long v)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.n == N)
		pthread_cond_wait(&queue.space, &queue.lock);
	queue.item[queue.n++] = v;
	pthread_cond_signal(&queue.filled);
	pthread_mutex_unlock(&queue.lock);
}
static long take_cond(void)
{
	long v;
	pthread_mutex_lock(&queue.lock);
	while (!queue.n)
		pthread_cond_wait(&queue.filled, &queue.lock);
	v = queue.item[--queue.n];
	pthread_cond_signal(&queue.space);
	pthread_mutex_unlock(&queue.lock);
	return v;
}
static long slot;
static void put_sem(long v)
{
	sem_wait(&empty);
	slot = v;
	sem_post(&full);
}
static long take_sem(void)
{
	long v;
	sem_wait(&full);
	v = slot;
	sem_post(&empty);
	return v;
}
static void put_pipe(long v)
{
	if (write(ends[1], &v, sizeof(v)) != sizeof(v))
		exit(3);
}
static long take_pipe(void)
{
	long v;
	if (read(ends[0], &v, sizeof(v)) != sizeof(v))
		exit(3);
	return v;
}
__attribute__((noinline)) static void put(long v)
{
	if (how == 's')
		put_sem(v);
	else if (how == 'p')
		put_pipe(v);
	else
		put_cond(v);
}
__attribute__((noinline)) static long take(void)
{
	return how == 's' ? take_sem() : how == 'p' ? take_pipe() : take_cond();
}
static long make_us, use_us;
/* The slow side: whoever is fast waits by then. */
static void work(long us, pid_t *other)
{
	if (us)
		until_asleep(other);
	rest(us);
}
static void *maker(void *arg)
{
	i_am(&maker_tid);
	for (long i = 100; i >= 0; i--) {
		work(make_us, &user_tid);
		put(i);
	}
	return arg;
}
static void *user(void *arg)
{
	i_am(&user_tid);
	while (take())
		work(use_us, &maker_tid);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	if (argc < 4 || pipe(ends))
		return 2;
	how = argv[1][0];
	make_us = atol(argv[2]);
	use_us = atol(argv[3]);
	sem_init(&full, 0, 0);
	sem_init(&empty, 0, 1);
	pthread_create(&b, NULL, user, NULL);
	until_asleep(&user_tid); /* the user waits first */
	pthread_create(&a, NULL, maker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
