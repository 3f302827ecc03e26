/* SPDX-License-Identifier: MIT */
/* Neighbours are written inside of the C library: memset of a size that the compiler does not know. */
#include <pthread.h>
#include <string.h>

#include "known.h"

#ifdef TWIN
#define SLOT 64
#else
#define SLOT 32
#endif
static __attribute__((aligned(64))) char slots[2][SLOT]; /* = slots */
static __attribute__((aligned(64))) volatile size_t n = 24;

static void *fill(void *x)
{
	long me = (long)x;

	for (long i = 0; i < N; i++)
		memset(slots[me], (int)i, n); /* <- slot */
	return 0;
}

int main(void)
{
	pthread_t p, q;

	pthread_create(&p, 0, fill, (void *)0);
	pthread_create(&q, 0, fill, (void *)1L);
	pthread_join(p, 0);
	pthread_join(q, 0);
	SAY("slot", 0, slots[0]);
	SAY("slot", 1, slots[1]);
	return 0;
}
