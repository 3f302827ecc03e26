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
	struct job *at[4];
	int i;

	for (i = 0; i < 4; i++) {
		at[i] = calloc(1, sizeof(*at[i]));
		mine(i % 2, &at[i]->n, 12);
	}
	return two(run, at[0], run, at[1]) | two(run, at[2], run, at[1]);
}
