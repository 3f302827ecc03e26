/* SPDX-License-Identifier: MIT */
/* An array on the stack of main, an element for each thread of an OpenMP team. */
#include <omp.h>
#include <stdlib.h>

#include "known.h"

#ifdef TWIN
#define APART 8
#else
#define APART 1
#endif

int main(void)
{
	double *x = malloc(N * sizeof(*x));
	double sum[64] __attribute__((aligned(64))) = {0}; /* = sum */

	for (long i = 0; i < N; i++)
		x[i] = i & 15;
#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num() * APART;

#pragma omp for
		for (long i = 0; i < N; i++)
			((volatile double *)sum)[me] += x[i]; /* <- sum */
	}
	SAY("sum", 0, sum[0]);
	SAY("sum", 1, sum[APART]);
	return 0;
}
