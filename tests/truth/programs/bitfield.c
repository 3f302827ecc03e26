/* SPDX-License-Identifier: MIT */
/* Fields b and d of bit-fields are written, each in a unit of its own. */
#include <pthread.h>

#include "known.h"

struct flags {
	volatile unsigned a : 16;
	volatile unsigned b : 16;
	volatile unsigned : 0;
	GAP(apart)
	volatile unsigned c : 7;
	volatile unsigned d : 25;
};
static struct flags fl ON_A_LINE; /* = fl */

static void *setb(void *x)
{
	for (long i = 0; i < N; i++)
		fl.b = i & 0xffff; /* <- b */
	return x;
}

static void *setd(void *x)
{
	for (long i = 0; i < N; i++)
		fl.d = fl.d + 1; /* <- d */
	return x;
}

int main(void)
{
	pthread_t p, q;

	pthread_create(&p, 0, setb, 0);
	pthread_create(&q, 0, setd, 0);
	pthread_join(p, 0);
	pthread_join(q, 0);
	SAY("b", 0, *(int *)&fl);
	SAY("d", 1, *(int *)((char *)(&fl + 1) - sizeof(int)));
	return 0;
}
