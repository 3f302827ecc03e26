/* SPDX-License-Identifier: MIT */
/*
 * An array of per-thread structs on the heap that starts OFFSET bytes after a
 * line.  Each is as long as a line; only the five sums are used all the time,
 * so that at offsets 0 and 40 to 56 nothing is fought for.
 */
#include "crew.h"

#define THREADS 2

struct sums {
	const unsigned char *points;
	long n;
	long id;
	long sx, sy, sxx, syy, sxy;
};

static ALIGNED unsigned char points[4096];
static struct sums *args;

static NOIPA void add(struct sums *s, long x, long y)
{
	s->sx += x; /* <- */
	s->sxx += x * x; /* <- */
	s->sy += y; /* <- */
	s->syy += y * y; /* <- */
	s->sxy += x * y; /* <- */
}

static void work(int id)
{
	struct sums *s = &args[id];
	const unsigned char *p = s->points;
	long n = s->n;

	FOR_A_WHILE for (long i = 0; i + 1 < n; i += 2)
		add(s, p[i], p[i + 1]);
}

int main(void)
{
	char *block = (char *)aligned_alloc(LINE, LINE * (THREADS + 1));

	args = (struct sums *)(block + OFFSET);
	for (int i = 0; i < THREADS; i++)
		args[i] = (struct sums){.points = points, .n = sizeof(points), .id = i};
	for (size_t i = 0; i < sizeof(points); i++)
		points[i] = (unsigned char)(i * 7);
	crew(THREADS, work);
	return args[0].sx == 0 || args[1].sx == 0;
}
