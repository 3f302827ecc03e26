/* SPDX-License-Identifier: MIT */
/* jump [out]: the program ends while a thread sleeps, which a handler takes out of its sleep before. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

static sigjmp_buf back;
static pid_t napping;

static void on_signal(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

__attribute__((noinline)) static long count(long n)
{
	volatile long s = 0;

	for (long i = 0; i < n; i++)
		s = s + i;
	return s;
}

__attribute__((noinline)) static void nap(void)
{
	struct timespec t = {100, 0};

	nanosleep(&t, NULL);
}

static void *sleeper(void *arg)
{
	i_am(&napping);
	if (!sigsetjmp(back, 1))
		nap();
	for (;;)
		count(100000);
	return arg;
}

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = on_signal};
	pthread_t id;

	sigaction(SIGUSR1, &sa, NULL);
	pthread_create(&id, NULL, sleeper, NULL);
	until_asleep(&napping);
	usleep(30000);
	if (argc > 1 && !strcmp(argv[1], "out"))
		pthread_kill(id, SIGUSR1);
	for (long i = 0; i < 300; i++)
		count(1000000);
	return 0;
}
