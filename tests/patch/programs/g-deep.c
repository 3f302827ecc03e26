/* SPDX-License-Identifier: MIT */
#include "two.h"

/* Threads meet in the struct in the struct in the struct. */
struct c { volatile long x, y; };
struct b { int kind; struct c c; };
struct a { int id; struct b b; long last; };

static struct a a;

static void *first(void *arg)
{
	long i;

	for (i = 0; i < TURNS; i++) {
		a.b.c.x++;
		AGAIN;
	}
	return arg;
}

static void *second(void *arg)
{
	long i;

	for (i = 0; i < TURNS; i++) {
		a.b.c.y++;
		AGAIN;
	}
	return arg;
}

int main(void)
{
	a.id = 1;
	mine(0, (void *)&a.b.c.x, sizeof(long));
	mine(1, (void *)&a.b.c.y, sizeof(long));
	return two(first, NULL, second, NULL);
}
