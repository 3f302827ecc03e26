/* SPDX-License-Identifier: MIT */
/*
 * server SECONDS [leak]: workers that take jobs from a queue, memory that comes and goes, and a
 * thread for each tenth of a second.  With `leak` it loses memory and descriptors.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, QUEUE = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int queue[QUEUE], waiting;
static bool stop;
static long done;

__attribute__((noinline)) static long job(int n)
{
	char *p = malloc(64 + (size_t)n % 1000);
	long sum = 0;

	memset(p, n, 64);
	for (int i = 0; i < 20000; i++)
		sum += p[i % 64] * i;
	free(p);
	return sum;
}

static void *worker(void *arg)
{
	long sum = 0;

	for (;;) {
		int n;

		pthread_mutex_lock(&lock);
		while (!waiting && !stop)
			pthread_cond_wait(&more, &lock);
		if (!waiting) {
			pthread_mutex_unlock(&lock);
			return (void *)((long)arg + (sum & 1));
		}
		n = queue[--waiting];
		done++;
		pthread_cond_signal(&room);
		pthread_mutex_unlock(&lock);
		sum += job(n);
	}
}

static void *visitor(void *arg)
{
	return (void *)job((int)(long)arg);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void put(int n)
{
	pthread_mutex_lock(&lock);
	while (waiting == QUEUE)
		pthread_cond_wait(&room, &lock);
	queue[waiting++] = n;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 10), next = 0;
	const struct timespec pause = {0, 1000000};
	bool leak = argc > 2;
	pthread_t w[WORKERS], v;

	for (long i = 0; i < WORKERS; i++)
		pthread_create(&w[i], NULL, worker, (void *)i);
	for (int n = 0; now() < end; n++) {
		put(n);
		if (n % 16 == 0)
			nanosleep(&pause, NULL);
		if (now() < next)
			continue;
		next = now() + 0.1;
		if (!pthread_create(&v, NULL, visitor, (void *)(long)n))
			pthread_join(v, NULL);
		if (leak && (!memset(malloc(100000), 1, 100000) || open("/dev/null", O_RDONLY) < 0))
			return 1;
	}
	pthread_mutex_lock(&lock);
	stop = true;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(w[i], NULL);
	printf("%s\n", done > 0 ? "served" : "idle");
	return 0;
}
