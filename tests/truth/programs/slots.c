/* SPDX-License-Identifier: MIT */
/* Bit-fields of an array of structs, at an element that only the thread knows. */
#include <pthread.h>

#include "known.h"

struct slot {
	unsigned used : 1, gen : 15;
	unsigned short key;
	GAP(apart)
};
static struct slot slot[4] __attribute__((aligned(64))); /* = slot */

static void *work(void *x)
{
	long me = (long)x;

	for (long i = 0; i < N; i++) {
		slot[me].gen++; /* <- gen */
		__asm__ volatile("" ::: "memory");
	}
	return x;
}

int main(void)
{
	pthread_t p, q;

	pthread_create(&p, 0, work, (void *)1);
	pthread_create(&q, 0, work, (void *)2);
	pthread_join(p, 0);
	pthread_join(q, 0);
	SAY("gen", 0, *(unsigned short *)&slot[1]);
	SAY("gen", 1, *(unsigned short *)&slot[2]);
	return 0;
}
