/* SPDX-License-Identifier: MIT */
/*
 * Regions of all forms: each function computes denormals, says how often the flush was on, and what
 * the register is outside.  flush WHAT prints `WHAT inside: N of M flushed, result R, outside: HEX`.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#define FLUSHED 0x8040u

static volatile float tiny = 2e-38f, quarter = 0.25f;
static __thread int asked, flushed;

__attribute__((noinline)) static void look(void)
{
	asked++;
	flushed += (_mm_getcsr() & FLUSHED) == FLUSHED;
}

float simple(float x)
{
	look();
	return x * quarter;
}

float early(float x, int way)
{
	if (way == 0)
		return x;
	look();
	if (way == 1)
		return x * quarter;
	look();
	return x * quarter * 2;
}

float looping(float x, int n)
{
	float s = 0;

	for (int i = 0; i < n; i++) {
		look();
		if (i == 3)
			break;
		if (i & 1)
			continue;
		s += x * quarter;
	}
	return s;
}

float recursive(float x, int depth)
{
	float below = depth ? recursive(x, depth - 1) : 0;

	look();
	return below + x * quarter;
}

void nothing(float *to, float x)
{
	*to = x * quarter;
	look();
}

static float choose(int way, float x)
{
	look();
	switch (way) {
	case 0: return x * quarter;
	case 1: return x * quarter * 3;
	case 2: return x + 1;
	case 3: return x * quarter * 5;
	case 4: return 7;
	case 5: return x * quarter * 11;
	default: return -x;
	}
}

float outer(float x)
{
	return simple(x) + choose(0, x) + choose(3, x);
}

static float run(const char *what)
{
	float r = 0;

	if (!strcmp(what, "simple"))
		return simple(tiny);
	if (!strcmp(what, "early"))
		return early(tiny, 0) + early(tiny, 1) + early(tiny, 2);
	if (!strcmp(what, "looping"))
		return looping(tiny, 100) + looping(tiny, 2);
	if (!strcmp(what, "recursive"))
		return recursive(tiny, 5);
	if (!strcmp(what, "choose")) {
		for (int i = 0; i < 8; i++)
			r += choose(i, tiny);
		return r;
	}
	if (!strcmp(what, "outer"))
		return outer(tiny);
	nothing(&r, tiny);
	return r;
}

static void *thread(void *what)
{
	float r = 0;

	for (int i = 0; i < 1000; i++)
		r = run(what);
	printf("thread: %d of %d flushed, result %g, outside %04x\n", flushed, asked, (double)r, _mm_getcsr() & 0xffc0);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id[4];
	int n = argc > 2 ? atoi(argv[2]) : 0;
	float r;

	if (n < 0)
		_mm_setcsr(_mm_getcsr() | 0x2000); /* rounds down: not the reviewed register */
	r = run(argv[1]);
	printf("%s: %d of %d flushed, result %g, outside %04x\n", argv[1], flushed, asked, (double)r,
	       _mm_getcsr() & 0xffc0);
	for (int i = 0; i < n; i++)
		pthread_create(&id[i], NULL, thread, argv[1]);
	for (int i = 0; i < n; i++)
		pthread_join(id[i], NULL);
	return 0;
}
