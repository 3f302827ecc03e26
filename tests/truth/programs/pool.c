/* SPDX-License-Identifier: MIT */
/* Structs that a bump allocator cuts out of an array of bytes. */
#include <pthread.h>
#include <stddef.h>

#include "known.h"

struct conn {
	int fd;
	long hits;
	GAP(apart)
};
static char pool[4096] __attribute__((aligned(64))); /* = pool */
static size_t used;

static void *cut(size_t n)
{
	void *p = pool + used;

	used += (n + 15) & ~(size_t)15;
	return p;
}

static void *work(void *x)
{
	struct conn *c = x;

	for (long i = 0; i < N; i++) {
		c->hits++; /* <- hits */
		__asm__ volatile("" ::: "memory");
	}
	return 0;
}

int main(void)
{
	struct conn *a = cut(sizeof(*a)), *b = cut(sizeof(*b));
	pthread_t p, q;

	pthread_create(&p, 0, work, a);
	pthread_create(&q, 0, work, b);
	pthread_join(p, 0);
	pthread_join(q, 0);
	SAY("hits", 0, a->hits);
	SAY("hits", 1, b->hits);
	return 0;
}
