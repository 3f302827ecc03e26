/* SPDX-License-Identifier: MIT */
#include "two.h"

static long left;
static long right;

static void *up(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		left++;
		AGAIN;
	}
	return NULL;
}

static void *down(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		right++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, &left, sizeof(left));
	mine(1, &right, sizeof(right));
	return two(up, NULL, down, NULL);
}
