/* SPDX-License-Identifier: MIT */
/* Two variables of one declaration, with what other builds have as an attribute behind their names. */
#include "two.h"

#define APART

static volatile long hits APART, misses APART;

static void *up(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++)
		hits++;
	return NULL;
}

static void *down(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++)
		misses += 2;
	return NULL;
}

int main(void)
{
	mine(0, &hits, sizeof(hits));
	mine(1, &misses, sizeof(misses));
	return two(up, NULL, down, NULL);
}
