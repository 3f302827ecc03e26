/* SPDX-License-Identifier: MIT */
/* A buffer that one thread fills and the next one reads, handed over by create and join. */
#include "crew.h"

#define N 4096

static ALIGNED long buffer[N];

static NOIPA void fill(long *p, long v)
{
	for (int i = 0; i < N; i++)
		p[i] += v + i;
}

static NOIPA long add_up(const long *p)
{
	long s = 0;

	for (int i = 0; i < N; i++)
		s += p[i];
	return s;
}

static void *stage(void *arg)
{
	FOR_US(crew_run_us() / 10) {
		fill(arg, 3);
		if (add_up(arg) == 1)
			abort();
	}
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 10; i++) {
		pthread_t t;

		pthread_create(&t, NULL, stage, buffer);
		pthread_join(t, NULL);
		if (add_up(buffer) == 0)
			return 1;
	}
	return 0;
}
