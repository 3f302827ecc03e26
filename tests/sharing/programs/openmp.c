/* SPDX-License-Identifier: MIT */
/* Partial sums in an array by the number of the thread, as loops under OpenMP often have it. */
#include "crew.h"

#include <omp.h>

#ifdef FIXED
#define STRIDE 8
#else
#define STRIDE 1
#endif

static ALIGNED double partial[8 * 8];

static NOIPA void add(double *p, double v)
{
	*p += v; /* <- */
}

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		double *mine = &partial[omp_get_thread_num() * STRIDE];

		crew_pin(omp_get_thread_num());
		FOR_A_WHILE for (int i = 0; i < 1000; i++)
			add(mine, i);
	}
	return partial[0] == 0;
}
