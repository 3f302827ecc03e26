/* SPDX-License-Identifier: MIT */
/* Holds of known length, by the clock, whoever else runs: each lasts its sleep at least. */
#include <pthread.h>
#include <time.h>

#define TIMES 60
#define MS    1000000l

static pthread_mutex_t recursive, waited = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER,
				  inner = PTHREAD_MUTEX_INITIALIZER, always = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void rest(long ns)
{
	struct timespec t = {0, ns};

	nanosleep(&t, NULL);
}

/* 10 ms in a wait, 2 ms before it and 1 ms after: held for 3 ms. */
static void wait_inside(void)
{
	struct timespec t;

	pthread_mutex_lock(&waited);
	rest(2 * MS);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 10 * MS;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&never, &waited, &t);
	rest(MS);
	pthread_mutex_unlock(&waited);
}

int main(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attr);
	pthread_mutex_lock(&always);
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&recursive);
		pthread_mutex_lock(&recursive);
		pthread_mutex_unlock(&recursive);
		rest(MS);
		pthread_mutex_unlock(&recursive);
		pthread_mutex_lock(&outer);
		pthread_mutex_lock(&inner);
		rest(MS);
		pthread_mutex_unlock(&inner);
		pthread_mutex_unlock(&outer);
		if (i < 10)
			wait_inside();
	}
	pthread_mutex_unlock(&always);
	return 0;
}
