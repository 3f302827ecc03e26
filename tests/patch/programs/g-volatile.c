/* SPDX-License-Identifier: MIT */
#include "two.h"

static volatile struct pair { long a, b; } pair;

static void *up(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		pair.a++;
		AGAIN;
	}
	return NULL;
}

static void *down(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		pair.b++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, (char *)&pair.a, 8);
	mine(1, (char *)&pair.b, 8);
	return two(up, NULL, down, NULL);
}
