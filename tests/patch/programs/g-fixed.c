/* SPDX-License-Identifier: MIT */
#include "two.h"

struct point { volatile long x, y; };
_Static_assert(sizeof(struct point) == 16, "as in the file");

static _Alignas(64) struct point points[2];

static void *run(void *arg)
{
	struct point *p = arg;

	for (long i = 0; i < TURNS; i++) {
		p->x++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	mine(0, &points[0].x, sizeof(long));
	mine(1, &points[1].x, sizeof(long));
	return two(run, &points[0], run, &points[1]);
}
