/* SPDX-License-Identifier: MIT */
#include "two.h"

struct slot { long n; };
struct pool { int size; struct slot slots[4]; };

static void *run(void *arg)
{
	struct slot *s = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		s->n++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	struct pool *p = calloc(1, sizeof(*p));

	mine(0, &p->slots[0].n, 8);
	mine(1, &p->slots[1].n, 8);
	return two(run, &p->slots[0], run, &p->slots[1]);
}
