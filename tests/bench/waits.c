/* SPDX-License-Identifier: MIT */
/*
 * waits: prints ns of CPU time per operation, the least of many blocks, for
 * what is interposed and finds nothing to wait for:
 * mutex pair, semaphore pair, signal without a waiter, pipe byte there and back.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define BLOCKS 40

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int ends[2];

#define UNSEEN __attribute__((noinline, no_instrument_function))

UNSEEN static void mutexes(int n)
{
	while (n--) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

UNSEEN static void sems(int n)
{
	while (n--) {
		sem_post(&sem);
		sem_wait(&sem);
	}
}

UNSEEN static void signals(int n)
{
	while (n--)
		pthread_cond_signal(&cond);
}

UNSEEN static void bytes(int n)
{
	char c = 0;

	while (n--)
		if (write(ends[1], &c, 1) != 1 || read(ends[0], &c, 1) != 1)
			return;
}

UNSEEN static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void measure(void (*f)(int), int n)
{
	double best = 1e18;

	for (int i = 0; i < BLOCKS; i++) {
		double begin = now(), took;

		f(n);
		took = (now() - begin) / n;
		if (took < best)
			best = took;
	}
	printf("%.2f ", best);
}

int main(void)
{
	sem_init(&sem, 0, 0);
	if (pipe(ends))
		return 1;
	measure(mutexes, 20000);
	measure(sems, 20000);
	measure(signals, 20000);
	measure(bytes, 1000);
	puts("");
	return 0;
}
