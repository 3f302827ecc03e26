/* SPDX-License-Identifier: MIT */
/* One word is written by both, its neighbour only read. */
#include <pthread.h>

#include "known.h"

static __attribute__((aligned(64))) struct {
	volatile int next_row;
	GAP(apart)
	volatile int num_cols;
} g = {.num_cols = 7}; /* = g */

static void *writes(void *x)
{
	for (long i = 0; i < N; i++)
		g.next_row++; /* <- next */
	return x;
}

static void *reads(void *x)
{
	long s = 0;

	for (long i = 0; i < N; i++)
		s += g.num_cols; /* <- cols */
	return x ? x : (void *)s;
}

int main(void)
{
	pthread_t p, q;

	pthread_create(&p, 0, writes, 0);
	pthread_create(&q, 0, reads, 0);
	pthread_join(p, 0);
	pthread_join(q, 0);
	SAY("next", 0, g.next_row);
	SAY("cols", 1, g.num_cols);
	return 0;
}
