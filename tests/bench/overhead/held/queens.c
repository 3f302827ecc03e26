/* SPDX-License-Identifier: MIT */
/* queens N: all ways to place N queens, by recursion over rows. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static int n;

NOINLINE static unsigned free_places(unsigned columns, unsigned left, unsigned right)
{
	return ~(columns | left | right) & ((1u << n) - 1);
}

NOINLINE static long place(unsigned columns, unsigned left, unsigned right)
{
	long ways = 0;

	if (columns == (1u << n) - 1)
		return 1;
	for (unsigned open = free_places(columns, left, right); open; open &= open - 1) {
		unsigned bit = open & -open;

		ways += place(columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
	return ways;
}

int main(int argc, char **argv)
{
	n = argc > 1 ? atoi(argv[1]) : 12;
	printf("%ld\n", place(0, 0, 0));
	return 0;
}
