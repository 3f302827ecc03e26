/* SPDX-License-Identifier: MIT */
/* stencil STEPS: heat spreads over a grid, by rows that two threads share out with OpenMP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 1200

static float now[SIDE][SIDE], next[SIDE][SIDE];

__attribute__((noinline)) static void row(int i)
{
	for (int j = 1; j < SIDE - 1; j++)
		next[i][j] = .25f * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 300;

	now[SIDE / 2][SIDE / 2] = 1e6f;
	for (int s = 0; s < steps; s++) {
#pragma omp parallel for num_threads(2)
		for (int i = 1; i < SIDE - 1; i++)
			row(i);
#pragma omp parallel for num_threads(2)
		for (int i = 1; i < SIDE - 1; i++)
			for (int j = 1; j < SIDE - 1; j++)
				now[i][j] = next[i][j];
	}
	printf("%f\n", (double)now[SIDE / 2][3]);
	return 0;
}
