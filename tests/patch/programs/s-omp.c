/* SPDX-License-Identifier: MIT */
#include <omp.h>
#include <stdio.h>
#ifndef TURNS
#define TURNS 20000000
#endif

int main(void)
{
	double sum[4] = {0};
	int bad;

#pragma omp parallel num_threads(2)
	{
		int me = omp_get_thread_num();
		long i;

		for (i = 0; i < TURNS; i++) {
			sum[me] += 1.0;
			__asm__ volatile("" ::: "memory");
		}
	}
	bad = (unsigned long)&sum[0] / 64 == (unsigned long)&sum[1] / 64;
	printf("%g\n", sum[0] + sum[1]);
	return bad;
}
