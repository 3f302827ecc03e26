/* SPDX-License-Identifier: MIT */
/* lock [apart]: two threads want one mutex, or each has its own. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "asleep.h"

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int apart;
static pid_t wants; /* who is about to take the door */
static volatile int done;

static void rest(long us)
{
	struct timespec t = {0, us * 1000};

	nanosleep(&t, NULL);
}

__attribute__((noinline)) static void with_door(pthread_mutex_t *m, long us)
{
	pthread_mutex_lock(m); /* slow takes it */
	while (!apart && !done && !waits_now(&wants))
		sched_yield();
	rest(us);
	pthread_mutex_unlock(m);
}

static void *slow(void *arg)
{
	for (int i = 0; i < 40; i++) {
		with_door(apart ? &own[0] : &door, 2000);
		rest(200);
	}
	return arg;
}

static void *quick(void *arg)
{
	pthread_mutex_t *m = apart ? &own[1] : &door;

	for (int i = 0; i < 100; i++) {
		i_am(&wants);
		pthread_mutex_lock(m); /* quick takes it */
		i_am_not(&wants);
		pthread_mutex_unlock(m);
		rest(100);
	}
	done = 1;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argv;
	apart = argc > 1;
	pthread_create(&a, NULL, slow, NULL);
	pthread_create(&b, NULL, quick, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
