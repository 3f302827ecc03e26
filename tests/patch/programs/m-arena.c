/* SPDX-License-Identifier: MIT */
#include "two.h"

struct item { long n; };

static char *at;

/* Blocks begin at any multiple of 8. */
static void *get(size_t n)
{
	void *p = at;

	at += (n + 7) / 8 * 8;
	return p;
}

static void *run(void *arg)
{
	struct item *t = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		t->n++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	struct item *a, *b;

	at = (char *)malloc(65536) + 8;
	a = get(sizeof(*a));
	b = get(sizeof(*b));
	a->n = b->n = 0;
	mine(0, &a->n, 8);
	mine(1, &b->n, 8);
	return two(run, a, run, b);
}
