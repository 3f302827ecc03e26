/* SPDX-License-Identifier: MIT */
/*
 * Blocks of a matrix that is stored by rows: the rows of a block are four doubles long,
 * half a line, and blocks beside each other belong to different threads, so that they
 * meet in every line, as in the non-contiguous LU of SPLASH-2.  Repaired, each thread
 * has one half of the columns.
 */
#include "crew.h"

#define N 128
#define B 4

static ALIGNED double a[N * N];

static NOIPA void daxpy(double *to, const double *from, int n, double alpha)
{
	for (int i = 0; i < n; i++)
		to[i] += alpha * from[i]; /* <- */
}

/* Where block @b of a thread begins. */
static int column(int id, int b)
{
#ifdef FIXED
	return (id * (N / B / 2) + b) * B;
#else
	return (2 * b + id) * B;
#endif
}

static void work(int id)
{
	const double pivot[B] = {1e-9, 1e-9, 1e-9, 1e-9};

	FOR_A_WHILE for (int r = 0; r < N; r++)
		for (int b = 0; b < N / B / 2; b++)
			daxpy(&a[r * N + column(id, b)], pivot, B, 0.5);
}

int main(void)
{
	crew(2, work);
	return a[0] == 0;
}
