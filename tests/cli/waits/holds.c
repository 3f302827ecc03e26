/* SPDX-License-Identifier: MIT */
/* Holds of known length, by the clock, whoever else runs: each lasts its sleep at least. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define TIMES 60
#define MS    1000000l

static pthread_mutex_t recursive, waited = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER,
				  inner = PTHREAD_MUTEX_INITIALIZER, always = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

/* The longest of each kind in ms, as the program has it; a wait inside of `waited` is in it, too. */
static double longest[3];
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
static void since(double begin, int which)
{
	double ms = now() - begin;

	if (ms > longest[which])
		longest[which] = ms;
}

static void rest(long ns)
{
	struct timespec t = {0, ns};

	nanosleep(&t, NULL);
}

/* 10 ms in a wait, 2 ms before it and 1 ms after: held for 3 ms. */
static void wait_inside(void)
{
	struct timespec t;
	double begin = now();

	pthread_mutex_lock(&waited);
	rest(2 * MS);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 10 * MS;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&never, &waited, &t);
	rest(MS);
	pthread_mutex_unlock(&waited);
	since(begin, 2);
}

int main(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attr);
	pthread_mutex_lock(&always);
	for (int i = 0; i < TIMES; i++) {
		double begin = now();

		pthread_mutex_lock(&recursive);
		pthread_mutex_lock(&recursive);
		pthread_mutex_unlock(&recursive);
		rest(MS);
		pthread_mutex_unlock(&recursive);
		since(begin, 0);
		begin = now();
		pthread_mutex_lock(&outer);
		pthread_mutex_lock(&inner);
		rest(MS);
		pthread_mutex_unlock(&inner);
		pthread_mutex_unlock(&outer);
		since(begin, 1);
		if (i < 10)
			wait_inside();
	}
	pthread_mutex_unlock(&always);
	printf("%f %f %f\n", longest[0], longest[1], longest[2]);
	return 0;
}
