/* SPDX-License-Identifier: MIT */
#include "two.h"

struct board { long id; long seen[2]; };
static struct board board;

static long sum(const long *p, int n)
{
	return n ? p[0] + sum(p + 1, n - 1) : 0;
}

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		board.seen[me]++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, &board.seen[0], sizeof(long));
	mine(1, &board.seen[1], sizeof(long));
	return two(run, (void *)0, run, (void *)1) + (sum(board.seen, 2) == 0);
}
