/* SPDX-License-Identifier: MIT */
#include "two.h"

struct traffic { long in; long in_errors; long out; };
static struct traffic stats;

static void *get(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		stats.in++;
		stats.in_errors += i & 1;
		AGAIN;
	}
	return NULL;
}

static void *put(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		stats.out++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, &stats.in, sizeof(stats.in));
	mine(0, &stats.in_errors, sizeof(stats.in_errors));
	mine(1, &stats.out, sizeof(stats.out));
	return two(get, NULL, put, NULL);
}
