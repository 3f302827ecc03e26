/* SPDX-License-Identifier: MIT */
/*
 * jacobi [N [SWEEPS [INTERIOR [THREADS]]]]: relaxation of a square whose edge is
 * EDGE; prints a hash of the bits of the result and the floating-point flags that
 * are raised.  Also compiled as C++.
 */
#include <fenv.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REAL
#define REAL float
#endif
#ifndef EDGE
#define EDGE 1
#endif

static REAL *grid[2];
static int n = 512, sweeps = 768, threads = 1;
static pthread_barrier_t together;

#ifdef REFERENCE
#include <math.h>

/* Loads of four operands, results of four operations, births of the last. */
static long counted[9];

static int is(int which, REAL value)
{
	int denormal = fpclassify(value) == FP_SUBNORMAL;

	counted[which] += denormal;
	return denormal;
}

static void sweep(int from, int to, const REAL *a, REAL *b)
{
	for (int i = from; i < to; i++)
		for (int j = 1; j < n - 1; j++) {
			const REAL *up = a + (i - 1) * n + j, *here = a + i * n + j,
				   *down = a + (i + 1) * n + j;
			volatile REAL one = *up + *down, two = one + here[-1], three = two + here[1],
				      four = three * (REAL)0.25;
			int before = is(0, *up) + is(1, *down) + is(2, here[-1]) + is(3, here[1]) +
				     is(4, one) + is(5, two) + is(6, three);

			counted[8] += is(7, four) && !before;
			b[i * n + j] = four;
		}
}
#else
__attribute__((noinline)) static void sweep(int from, int to, const REAL *a, REAL *b)
{
	for (int i = from; i < to; i++)
		for (int j = 1; j < n - 1; j++)
			b[i * n + j] = (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] +
					a[i * n + j + 1]) *
				       (REAL)0.25;
}
#endif

static void *work(void *number)
{
	int me = (int)(intptr_t)number, rows = n - 2;

	for (int s = 0; s < sweeps; s++) {
		sweep(1 + rows * me / threads, 1 + rows * (me + 1) / threads, grid[s & 1], grid[~s & 1]);
		pthread_barrier_wait(&together);
	}
	return NULL;
}

static void fill(REAL *a, REAL interior)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[i * n + j] = i == 0 || j == 0 || i == n - 1 || j == n - 1 ? (REAL)EDGE : interior;
}

int main(int argc, char **argv)
{
	uint64_t hash = 14695981039346656037u;
	pthread_t thread[64];

	n = argc > 1 ? atoi(argv[1]) : n;
	sweeps = argc > 2 ? atoi(argv[2]) : sweeps;
	threads = argc > 4 ? atoi(argv[4]) : 1;
	for (int i = 0; i < 2; i++) {
		grid[i] = (REAL *)malloc((size_t)n * (size_t)n * sizeof(REAL));
		if (!grid[i])
			return 1;
		fill(grid[i], argc > 3 ? (REAL)atof(argv[3]) : 0);
	}
	pthread_barrier_init(&together, NULL, (unsigned)threads);
	feclearexcept(FE_ALL_EXCEPT);
	for (intptr_t i = 1; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	work(NULL);
	for (int i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (size_t i = 0; i < (size_t)n * (size_t)n * sizeof(REAL); i++)
		hash = (hash ^ ((unsigned char *)grid[sweeps & 1])[i]) * 1099511628211u;
	printf("%016llx flags %d\n", (unsigned long long)hash, fetestexcept(FE_ALL_EXCEPT));
#ifdef REFERENCE
	for (int i = 0; i < 9; i++)
		printf("%ld%s", counted[i], i < 8 ? " " : "\n");
#endif
	return 0;
}
