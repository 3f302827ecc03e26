/* SPDX-License-Identifier: MIT */
/* Three small blocks; the last two are on one line if plain. */
#include <pthread.h>
#include <stdlib.h>

#include "known.h"

struct conn {
	volatile long n;
	long id;
	GAP(apart)
};

static void *work(void *x)
{
	struct conn *c = x;

	for (long i = 0; i < N; i++)
		c->n++; /* <- n */
	return 0;
}

int main(void)
{
	pthread_t p, q;

	struct conn *admin = malloc(sizeof(*admin));
	struct conn *left = malloc(sizeof(*left)); /* = left */
	struct conn *right = malloc(sizeof(*right)); /* = left */

	admin->n = left->n = right->n = 0;
	pthread_create(&p, 0, work, left);
	pthread_create(&q, 0, work, right);
	pthread_join(p, 0);
	pthread_join(q, 0);
	SAY("n", 0, left->n);
	SAY("n", 1, right->n);
	return 0;
}
