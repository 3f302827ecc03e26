/* SPDX-License-Identifier: MIT */
/* Both threads write one word now and then, and read its neighbour all the time. */
#include <pthread.h>

#include "known.h"

static __attribute__((aligned(64))) struct {
	volatile int next_row;
	GAP(apart)
	volatile int num_cols;
} g = {.num_cols = 7}; /* = g */

static void *row(void *x)
{
	long s = 0;

	for (long j = 0; j < N / 40; j++) {
		g.next_row++; /* <- next */
		for (int i = 0; i < 40; i++)
			s += g.num_cols; /* <- cols */
	}
	return x ? x : (void *)s;
}

int main(void)
{
	pthread_t p, q;

	pthread_create(&p, 0, row, 0);
	pthread_create(&q, 0, row, 0);
	pthread_join(p, 0);
	pthread_join(q, 0);
	for (int t = 0; t < 2; t++) {
		SAY("next", t, g.next_row);
		SAY("cols", t, g.num_cols);
	}
	return 0;
}
