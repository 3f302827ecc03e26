/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: a thread that sleeps.  A program of one thread has nothing to share, and a
 * sharing run spares it what it costs to look; with this it is measured as one of several
 * threads.  Built as the program is: a thread that runs no probe is not known.
 */
#include <pthread.h>
#include <unistd.h>

static void *sleep_on(void *arg)
{
	usleep(2000); /* until the program has begun */
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
