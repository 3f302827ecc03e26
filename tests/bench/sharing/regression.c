/* SPDX-License-Identifier: MIT */
/* Sums over a large block of points, kept in the argument structs of two threads. */
#include "two.h"

#define BYTES (8 << 20)

struct args {
	const signed char *points;
	long n;
	long long sx, sy, sxx, syy, sxy;
};

static struct args *args;

static NOIPA void regression(struct args *a)
{
	for (long i = 0; i < a->n; i += 2) {
		a->sx += a->points[i];
		a->sxx += a->points[i] * a->points[i];
		a->sy += a->points[i + 1];
		a->syy += a->points[i + 1] * a->points[i + 1];
		a->sxy += a->points[i] * a->points[i + 1];
	}
}

static void work(int id)
{
	for (int t = 0; t < 24; t++)
		regression(&args[id]);
}

int main(void)
{
	signed char *p = two_memory(BYTES);
	uint32_t r = 5;

	for (int i = 0; i < BYTES; i++)
		p[i] = (signed char)two_random(&r);
	/* Where malloc() often puts it: the structs meet in a line. */
	args = (struct args *)((char *)two_memory(4096) + 16);
	for (int i = 0; i < 2; i++)
		args[i] = (struct args){.points = p + i * (BYTES / 2), .n = BYTES / 2};
	two(work);
	printf("%lld %lld\n", args[0].sx + args[1].sx, args[0].sxy + args[1].sxy);
	return 0;
}
