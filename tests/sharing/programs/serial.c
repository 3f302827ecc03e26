/* SPDX-License-Identifier: MIT */
/* The counters of counters.c, but the threads run one after the other. */
#include "crew.h"

struct traffic {
	long rx;
	long tx;
};

static ALIGNED struct traffic stats;

static NOIPA void received(long bytes)
{
	stats.rx += bytes;
}

static NOIPA void sent(long bytes)
{
	stats.tx += bytes;
}

static void *work(void *arg)
{
	FOR_US(crew_run_us() / 8)
		for (int i = 0; i < 1000; i++)
			if (arg)
				sent(i);
			else
				received(i);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 8; i++) {
		pthread_t t;

		pthread_create(&t, NULL, work, i % 2 ? &stats : NULL);
		pthread_join(t, NULL);
	}
	return stats.rx == 0;
}
