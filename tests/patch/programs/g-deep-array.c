/* SPDX-License-Identifier: MIT */
#include "two.h"

/* Threads meet between elements of an array in the struct in the struct. */
struct c { volatile long x; int kind; };
struct b { int kind; struct c c[2]; };
struct a { int id; struct b b; long last; };

static struct a a;

static void *first(void *arg)
{
	long i;

	for (i = 0; i < TURNS; i++) {
		a.b.c[0].x++;
		AGAIN;
	}
	return arg;
}

static void *second(void *arg)
{
	long i;

	for (i = 0; i < TURNS; i++) {
		a.b.c[1].x++;
		AGAIN;
	}
	return arg;
}

int main(void)
{
	a.id = 1;
	mine(0, (void *)&a.b.c[0].x, sizeof(long));
	mine(1, (void *)&a.b.c[1].x, sizeof(long));
	return two(first, NULL, second, NULL);
}
