/* SPDX-License-Identifier: MIT */
#include "two.h"

struct job { long n; int id; };

static void *run(void *arg)
{
	struct job *j = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		j->n++;
		j->id ^= 1;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	struct job *a = calloc(1, sizeof(*a)), *b = calloc(1, sizeof(*b));

	mine(0, &a->n, 12);
	mine(1, &b->n, 12);
	return two(run, a, run, b);
}
