/* SPDX-License-Identifier: MIT */
/*
 * The stencil of the truth set: 512 x 512 floats, edges 1, interior the second
 * argument, as many sweeps as the first says; prints a hash of both arrays.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N 512

static float a[N][N], b[N][N];

__attribute__((noinline)) static void sweep(float (*to)[N], float (*from)[N])
{
	for (int i = 1; i < N - 1; i++)
		for (int j = 1; j < N - 1; j++)
			to[i][j] = 0.25f * (((from[i - 1][j] + from[i + 1][j]) + from[i][j - 1]) + from[i][j + 1]);
}

int main(int argc, char **argv)
{
	const unsigned char *parts[] = {(const unsigned char *)a, (const unsigned char *)b};
	int sweeps = argc > 1 ? atoi(argv[1]) : 0;
	float inside = argc > 2 ? (float)atof(argv[2]) : 0;
	uint64_t hash = 14695981039346656037u;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a[i][j] = b[i][j] = !i || !j || i == N - 1 || j == N - 1 ? 1 : inside;
	for (int k = 0; k < sweeps; k++)
		if (k % 2)
			sweep(a, b);
		else
			sweep(b, a);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < sizeof(a); i++)
			hash = (hash ^ parts[k][i]) * 1099511628211u;
	printf("%016llx\n", (unsigned long long)hash);
	return 0;
}
