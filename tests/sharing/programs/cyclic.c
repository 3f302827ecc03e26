/* SPDX-License-Identifier: MIT */
/* Elements dealt to the threads one by one; repaired, each thread has its half. */
#include "crew.h"

#define N 4096
#define THREADS 2

static ALIGNED float field[N];

static NOIPA void smooth(float *v, int from, int to, int step)
{
	for (int i = from; i < to; i += step)
		v[i] = v[i] * 0.5f + 1; /* <- */
}

static void work(int id)
{
	FOR_A_WHILE
#ifdef FIXED
		smooth(field, id * (N / THREADS), (id + 1) * (N / THREADS), 1);
#else
		smooth(field, id, N, THREADS);
#endif
}

int main(void)
{
	crew(THREADS, work);
	return field[0] == 0;
}
