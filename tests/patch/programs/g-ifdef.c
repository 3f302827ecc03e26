/* SPDX-License-Identifier: MIT */
#include "two.h"

/* The build has one of two definitions; the other would be of whole lines. */
#ifdef APART
struct part { long n __attribute__((aligned(64))); };
#else
struct part { long n; };
#endif
static struct part part[2];

static void *run(void *arg)
{
	struct part *p = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		p->n++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, &part[0].n, 8);
	mine(1, &part[1].n, 8);
	return two(run, &part[0], run, &part[1]);
}
