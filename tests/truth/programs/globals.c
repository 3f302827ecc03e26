/* SPDX-License-Identifier: MIT */
/* Neighbours in memory, apart or not as the linker has it; globals of one unit. -DBEFORE=N puts N others in front. */
#include <pthread.h>

#include "known.h"

volatile long l1 = 1, l2 = 1;
#if BEFORE > 2
volatile long l3 = 1, l4 = 1, l5 = 1;
#endif
volatile long a ON_A_LINE = 1; /* = oa */
volatile long b ON_A_LINE = 1; /* = ob */

static void *fa(void *x)
{
	for (long i = 0; i < N; i++)
		a++; /* <- a */
	return x;
}

static void *fb(void *x)
{
	for (long i = 0; i < N; i++)
		b++; /* <- b */
	return x;
}

int main(void)
{
	pthread_t p, q;

	pthread_create(&p, 0, fa, 0);
	pthread_create(&q, 0, fb, 0);
	pthread_join(p, 0);
	pthread_join(q, 0);
	SAY("a", 0, a);
	SAY("b", 1, b);
	return 0;
}
