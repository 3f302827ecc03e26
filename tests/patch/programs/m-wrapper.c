/* SPDX-License-Identifier: MIT */
#include "two.h"

struct part { long n; int k; };

static void *xmalloc(size_t n)
{
	void *p = malloc(n);

	if (!p)
		abort();
	return p;
}

static void *run(void *arg)
{
	struct part *p = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		p->n++;
		p->k ^= 1;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	int n = 2;
	struct part *p = xmalloc((unsigned)n * sizeof(*p));

	p[0].n = p[1].n = p[0].k = p[1].k = 0;

	mine(0, &p[0].n, 12);
	mine(1, &p[1].n, 12);
	return two(run, &p[0], run, &p[1]);
}
