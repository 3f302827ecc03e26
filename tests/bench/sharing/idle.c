/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: a thread that sleeps.  A program of one thread has nothing to share, and a
 * sharing run spares it the bursts; with this it is measured as one of several threads.
 */
#include <pthread.h>
#include <unistd.h>

static void *sleep_on(void *arg)
{
	for (;;)
		pause();
	return arg;
}

__attribute__((constructor)) static void start(void)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, sleep_on, NULL))
		pthread_detach(t);
}
