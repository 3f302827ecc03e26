/* SPDX-License-Identifier: MIT */
#include "two.h"

volatile long a = 1, b = 1;

static void *up(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		a++;
		AGAIN;
	}
	return NULL;
}

static void *down(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		b++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, &a, sizeof(a));
	mine(1, &b, sizeof(b));
	return two(up, NULL, down, NULL);
}
