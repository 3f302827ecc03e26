/* SPDX-License-Identifier: MIT */
/* Shares a line with nobody; the library that it calls, built without probes, does. */
#include <pthread.h>

void plug_run(int);

static void *run(void *x)
{
	plug_run((int)(long)x);
	return 0;
}

int main(void)
{
	pthread_t p, q;

	pthread_create(&p, 0, run, (void *)0);
	pthread_create(&q, 0, run, (void *)1L);
	pthread_join(p, 0);
	pthread_join(q, 0);
	plug_run(2);
	return 0;
}
