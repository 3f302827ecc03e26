/* SPDX-License-Identifier: MIT */
/*
 * On the line of two counters, or behind it, lies what one thread has for itself: it must
 * not come to lie on the line that the other one's counter begins.
 */
#include "two.h"

struct front {
	long filler[6];
};
struct front front __attribute__((aligned(64))) = {{1}};
volatile long left = 1;
volatile long right = 1;
volatile long own = 1;

static void *up(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		left++;
		own++;
	}
	return NULL;
}

static void *down(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS; i++)
		right++;
	return NULL;
}

int main(void)
{
	mine(0, &left, 8);
	mine(1, &right, 8);
	mine(0, &own, 8);
	return two(up, &front, down, NULL);
}
