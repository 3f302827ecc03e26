/* SPDX-License-Identifier: MIT */
#include "two.h"

struct part { long n; int k; };

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
	struct part *p = (struct part *)malloc(sizeof(struct part) * (unsigned)n);

	memset(p, 0, sizeof(struct part) * (unsigned)n);

	mine(0, &p[0].n, 12);
	mine(1, &p[1].n, 12);
	return two(run, &p[0], run, &p[1]);
}
