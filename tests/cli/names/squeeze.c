/* SPDX-License-Identifier: MIT */
/* Long work in a function that is compiled with probes in one program, and in a library without in another. */
#ifdef LIBRARY
unsigned squeeze(unsigned x)
{
	for (int i = 0; i < 3000000; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}
#else
#include <pthread.h>

unsigned squeeze(unsigned x);

static void *worker(void *arg)
{
	unsigned *x = arg;

	for (int i = 0; i < 20; i++)
		*x = squeeze(*x); /* the call */
	return arg;
}

int main(void)
{
	unsigned x = 1;
	pthread_t t;

	pthread_create(&t, 0, worker, &x);
	pthread_join(t, 0);
	return x == 0;
}
#endif
