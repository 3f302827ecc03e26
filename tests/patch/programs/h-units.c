/* SPDX-License-Identifier: MIT */
#include "h-units.h"
#include "two.h"

struct unit units[4];
long first;
long second;

static void *other(void *arg)
{
	long *at = arg, i;

	for (i = 0; i < TURNS; i++) {
		++*at;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	int bad;

	mine(0, &units[0].n, 8);
	mine(1, &units[1].n, 8);
	mine(0, &units[2].n, 8);
	bad = two(run, &units[0], run, &units[1]) | two(run, &units[2], run, &units[1]);
	two_n = 0;
	mine(0, &first, 8);
	mine(1, &second, 8);
	return two(other, &first, other, &second) | bad;
}
