/* SPDX-License-Identifier: MIT */
/* Beside what each thread has alone lies what both need: all three are kept apart. */
#include "two.h"

struct tally {
	volatile long left;
	volatile long right;
	long both;
};
static struct tally tally;
static volatile long up_done, down_done;
static long all;

static void *up(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS / 4; i++) {
		tally.left++;
		up_done++;
		if (!(i & 3)) {
			__atomic_fetch_add(&tally.both, 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&all, 1, __ATOMIC_RELAXED);
		}
	}
	return NULL;
}

static void *down(void *arg)
{
	(void)arg;
	long i;

	for (i = 0; i < TURNS / 4; i++) {
		tally.right++;
		down_done++;
		if (!(i & 3)) {
			__atomic_fetch_add(&tally.both, 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&all, 1, __ATOMIC_RELAXED);
		}
	}
	return NULL;
}

int main(void)
{
	mine(0, &tally.left, 8);
	mine(1, &tally.right, 8);
	mine(2, &tally.both, 8);
	mine(0, &up_done, 8);
	mine(1, &down_done, 8);
	mine(2, &all, 8);
	return two(up, NULL, down, NULL);
}
