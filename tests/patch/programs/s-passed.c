/* SPDX-License-Identifier: MIT */
/* The array is handed on as void *: what uses its elements there knows nothing of their distance. */
#include "two.h"

struct seat {
	void *all;
	int me;
};

static void *run(void *arg)
{
	struct seat *seat = arg;
	long *all = seat->all;
	long i;

	for (i = 0; i < TURNS; i++) {
		all[seat->me]++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	static long sums[2];
	struct seat seats[2] = {{(void *)sums, 0}, {(void *)sums, 1}};

	mine(0, &sums[0], 8);
	mine(1, &sums[1], 8);
	return two(run, &seats[0], run, &seats[1]);
}
