/* SPDX-License-Identifier: MIT */
/*
 * jacobi N SWEEPS INTERIOR: relaxation of a square whose edge is 1; prints a
 * hash of the bits of the result and the floating-point flags that are raised.
 */
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef REAL
#define REAL float
#endif

__attribute__((noinline)) static void sweep(int n, const REAL *a, REAL *b)
{
	for (int i = 1; i < n - 1; i++)
		for (int j = 1; j < n - 1; j++)
			b[i * n + j] = (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] +
					a[i * n + j + 1]) *
				       (REAL)0.25;
}

static void fill(int n, REAL *a, REAL interior)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[i * n + j] = i == 0 || j == 0 || i == n - 1 || j == n - 1 ? 1 : interior;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 512, sweeps = argc > 2 ? atoi(argv[2]) : 768;
	REAL interior = argc > 3 ? (REAL)atof(argv[3]) : 0, *a, *b;
	size_t bytes = (size_t)n * (size_t)n * sizeof(REAL);
	uint64_t hash = 14695981039346656037u;

	a = malloc(bytes);
	b = malloc(bytes);
	if (!a || !b)
		return 1;
	fill(n, a, interior);
	fill(n, b, interior);
	feclearexcept(FE_ALL_EXCEPT);
	for (int s = 0; s < sweeps; s++) {
		REAL *c = a;

		sweep(n, a, b);
		a = b;
		b = c;
	}
	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ ((unsigned char *)a)[i]) * 1099511628211u;
	printf("%016llx flags %d\n", (unsigned long long)hash, fetestexcept(FE_ALL_EXCEPT));
	return 0;
}
