/* SPDX-License-Identifier: MIT */
#include "two.h"

typedef struct {
	int hits, misses;
} count_t;

count_t counts[2] = {{1, 2}, {3, 4}};

static void *run(void *arg)
{
	count_t *c = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		c->hits++;
		c->misses += 2;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	int bad;

	mine(0, &counts[0].hits, 8);
	mine(1, &counts[1].hits, 8);
	bad = two(run, &counts[0], run, &counts[1]);
	if (counts[0].misses != 2 + 2 * TURNS || counts[1].hits != 3 + TURNS)
		return 3;
	return bad;
}
