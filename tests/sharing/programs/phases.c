/* SPDX-License-Identifier: MIT */
/*
 * Two threads work on halves of a field and look over the border once in each
 * step, with a barrier between the steps: a few transfers, which are the work itself.
 */
#include "crew.h"

#include <string.h>

#define N 65536

static ALIGNED double now[N], next[N];
static pthread_barrier_t step;

static NOIPA void half(const double *a, double *b, int from, int to)
{
	for (int i = from; i < to; i++)
		b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
}

static void work(int id)
{
	int from = id ? N / 2 : 1, to = id ? N - 1 : N / 2;

	for (int t = 0; t < 400; t++) {
		half(t % 2 ? next : now, t % 2 ? now : next, from, to);
		pthread_barrier_wait(&step);
	}
}

int main(void)
{
	for (int i = 0; i < N; i++)
		now[i] = next[i] = i % 17;
	pthread_barrier_init(&step, NULL, 2);
	crew(2, work);
	return now[N / 2] == 0;
}
