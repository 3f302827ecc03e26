/* SPDX-License-Identifier: MIT */
/* The other unit: see tu1.c. */
#include <pthread.h>

#include "known.h"

volatile long out_count ON_A_LINE = 1; /* = out */
extern volatile long in_count;
void *in(void *x);

static void *out(void *x)
{
	for (long i = 0; i < N; i++)
		out_count++; /* <- out */
	return x;
}

int main(void)
{
	pthread_t p, q;

	pthread_create(&p, 0, in, 0);
	pthread_create(&q, 0, out, 0);
	pthread_join(p, 0);
	pthread_join(q, 0);
	SAY("in", 0, in_count);
	SAY("out", 1, out_count);
	return 0;
}
