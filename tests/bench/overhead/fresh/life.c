// SPDX-License-Identifier: MIT
// life GENERATIONS: cells of a torus live by their neighbours; a call for each row.
#include <stdio.h>
#include <stdlib.h>

#define SIDE 512
static unsigned char cells[2][SIDE][SIDE];

static __attribute__((noinline)) void row(const unsigned char (*from)[SIDE], unsigned char *to, int y)
{
	const unsigned char *a = from[(y + SIDE - 1) % SIDE], *b = from[y], *c = from[(y + 1) % SIDE];

	for (int x = 0; x < SIDE; x++) {
		int l = (x + SIDE - 1) % SIDE, r = (x + 1) % SIDE;
		int n = a[l] + a[x] + a[r] + b[l] + b[r] + c[l] + c[x] + c[r];

		to[x] = n == 3 || (n == 2 && b[x]);
	}
}

int main(int argc, char **argv)
{
	int generations = argc > 1 ? atoi(argv[1]) : 200;
	unsigned seed = 1;
	long alive = 0;

	for (int i = 0; i < SIDE * SIDE; i++)
		cells[0][0][i] = (seed = seed * 1664525u + 1013904223u) >> 31;
	for (int g = 0; g < generations; g++)
		for (int y = 0; y < SIDE; y++)
			row(cells[g & 1], cells[!(g & 1)][y], y);
	for (int i = 0; i < SIDE * SIDE; i++)
		alive += cells[generations & 1][0][i];
	printf("%ld\n", alive);
}
