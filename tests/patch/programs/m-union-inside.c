/* SPDX-License-Identifier: MIT */
#include "two.h"

/* Threads meet in one member of the union, a struct: others see the same bytes, so nothing in it can be moved. */
struct both { volatile long in, out; };
union any { struct both both; double d[2]; };
struct event { int kind; union any u; };
struct plain { int kind; union { struct { volatile long in, out; } two; char raw[16]; } u; };

static struct event event;

static void *in(void *arg)
{
	struct event *e = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		e->u.both.in++;
		AGAIN;
	}
	return NULL;
}

static void *out(void *arg)
{
	struct event *e = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		e->u.both.out++;
		AGAIN;
	}
	return NULL;
}

static void *heap_in(void *arg)
{
	struct plain *p = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		p->u.two.in++;
		AGAIN;
	}
	return NULL;
}

static void *heap_out(void *arg)
{
	struct plain *p = arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		p->u.two.out++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	struct plain *p = calloc(1, sizeof(*p));
	int bad;

	event.kind = 1;
	mine(0, &event.u.both.in, 8);
	mine(1, &event.u.both.out, 8);
	bad = two(in, &event, out, &event);
	two_n = 0;
	mine(0, &p->u.two.in, 8);
	mine(1, &p->u.two.out, 8);
	return two(heap_in, p, heap_out, p) | bad;
}
