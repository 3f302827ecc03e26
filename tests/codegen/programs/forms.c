/* SPDX-License-Identifier: MIT */
/*
 * Calls in all kinds of statements.  The plan of the test wants a trigger
 * before the calls of b_*, behind those of a_*, on both sides of x_*.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEVER
#include "never.h"
#endif

struct pair {
	int a, b;
	int (*call)(int);
};

#define NOINLINE __attribute__((noinline))
#define LOOP(i, n) for (int i = 0; i < (n); i++)

static int seen;

/* In the trace, if there is one: this function is entered. */
__attribute__((weak)) void note_call(const char *name);
#define HERE if (note_call) note_call(__func__)

NOINLINE int b_one(int x) { HERE; __atomic_fetch_add(&seen, x, __ATOMIC_RELAXED); return x; }
NOINLINE int a_one(int x) { HERE; __atomic_fetch_add(&seen, 3 * x, __ATOMIC_RELAXED); return x + 1; }
NOINLINE int x_one(int x) { HERE; __atomic_fetch_add(&seen, 7 * x, __ATOMIC_RELAXED); return x - 1; }
NOINLINE struct pair b_pair(int x) { HERE; return (struct pair){x, x + 1, NULL}; }
NOINLINE struct pair x_pair(int x) { HERE; return (struct pair){x, x + 1, NULL}; }
NOINLINE void x_nothing(int x) { HERE; __atomic_fetch_add(&seen, x, __ATOMIC_RELAXED); }
NOINLINE const char *x_text(int x) { HERE; return x ? "yes" : NULL; }
NOINLINE double a_real(int x) { HERE; return x / 2.0; }

/* Inlined into several callers: one place in the source. */
static inline int doubled(int x)
{
	return 2 * x_one(x);
}

static int recurse(int depth)
{
	if (depth == 0)
		return b_one(1);
	x_nothing(depth);
	if (depth % 3 == 0)
		return recurse(depth - 2);
	return recurse(depth - 1) + 1;
}

static int early(int x)
{
	if (x < 0)
		return x_one(x);
	if (x > 10)
		x_nothing(x);
	else if (x > 5)
		x_nothing(-x); /* a remark */
	else
		a_one(x);
	for (int i = 0; i < 2; i++)
		x_nothing(i); // another one
	do
		x_nothing(1);
	while (--x > 3);
	LOOP(k, 2) {
		x_nothing(k);
	}
	return 0;
}

static struct pair give(int x) { return x_pair(x); }

static const char *text(int x)
{
	return x_text(x);
}

static unsigned long many(int x)
{
	switch (x) {
	case 0: x_nothing(0); break;
	case 1:
		x_nothing(1);
		break;
	case 2:
		return (unsigned long)x_one(2);
	case 3:
	again:
		x_nothing(3);
		if (x_one(x) == 2)
			return 7;
		break;
	default:
		if (--x > 7)
			goto again;
		if (x_one(x)) { __atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED); }
	}
	return 0;
}

static int conditions(int x)
{
	int y = 0, z[4] = {0}, *p = z;
	double d;

	if (x_one(x))
		y++;
	if (!x_one(x + 1))
		y++;
	else
		y += 2;
	if ((y = x_one(x + 2)) != 0 && y > 1)
		y++;
	if (x_one(x) < 5 || y) y++;
	if (x > 2 && b_one(x))
		y++;
	else if (b_one(y) > 1)
		y--;
	while (b_one(y) < 3)
		y++;
	for (int i = b_one(0); i < b_one(2); i += b_one(1))
		y += i;
	y = x ? b_one(1) : b_one(2);
	p[1] = x_one(y) + 3;
	*p++ = x_one(y);
	d = a_real(x); y += (int)d;
	(void)x_one(4);
	int q = x_one(y), r = 5;
	const char *s = x_text(q);
	struct pair t = b_pair(r), u =
		x_pair(2); /* by hand: another call in the statement */
	y += x_one(t.a) + u.b + (s ? 1 : x_one(3)); /* by hand: twice */
	y += a_one(x_one(q)); /* by hand: within each other */
	while (a_one(y) < 4) y++; /* by hand: a loop */
	y += printf("%s", "") + b_one(y); /* by hand: no order between the two */
	y += (b_one(y), b_one(3));
#ifdef NEVER
	x_nothing(99);
#endif
	{ x_nothing(5); } x_nothing(6); /* two on a line
	of several */
	return y + b_one(z[0]);
}

static void *work(void *arg)
{
	int me = (int)(long)arg;

	for (int round = 0; round < 3; round++)
		x_nothing(me + round);
	if (recurse(me) < 0)
		return NULL;
	for (int i = 0; i < 2; i++)
		if (x_one(i))
			x_nothing(i);
	if (me > 40) me--;
	else if (x_one(me) > 2) me++;
	else if (x_one(me + 1))
		x_nothing(9);
	else if (x_one(2))
		me += 3;
	else
		x_nothing(4);
	while (me > 40) for (;;) if (x_one(me)) break;
	(void)early(me * 6);
	return arg;
}

static void *nest(void *arg)
{
	pthread_t t;
	int error = pthread_create(&t, NULL, work, arg);

	if (!error)
		error = pthread_join(t, NULL);
	return error ? NULL : arg;
}

static int spawn(pthread_t *t, void *(*fn)(void *), long i)
{
	return pthread_create(t, NULL, fn, (void *)i);
}

int main(void)
{
	pthread_t thread[6];
	int sum = 0;

	for (long i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, i % 2 ? nest : work, (void *)i))
			return 2;
	for (long i = 4; i < 6; i++)
		if (spawn(&thread[i], work, i))
			abort();
	for (int i = 0; i < 6; i++)
		pthread_join(thread[i], NULL);
	for (int i = -1; i < 12; i++)
		sum += early(i) + conditions(i) + (int)many(i) + doubled(i) + doubled(i + 1);
	sum += give(3).a;
	printf("%s %d\n", text(1), sum + seen);
	return 0;
}
