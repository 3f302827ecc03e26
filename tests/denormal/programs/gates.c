/* SPDX-License-Identifier: MIT */
/*
 * Loops of which one version counts and one only notices: gates [clean|daz|ftz].  Built with -DCALM they say how often the
 * first was run.
 */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

#define N        500
#define NOINLINE __attribute__((noinline)) static

static float a[N], b[N], c[2 * N], d[N], e[2 * N];
static double x[N], y[N], z[N];

#ifdef CALM
static int counted;
void prs_den_calm(void);
void prs_den_calm(void)
{
	counted++;
}

void prs_den_clear(void);
void prs_den_clear(void)
{
	counted++;
}
#endif

/* Births alone: powers of two, so that nothing is inexact and the processor notes nothing. */
NOINLINE void bears(float *to, const float *from, float by, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = from[i] * by;
}

/* Apart or not, as the pointers are. */
NOINLINE void shifts(float *to, const float *from, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = from[i] * 0.5f + 2e-38f;
}

NOINLINE void backwards(double *to, const double *from, int n)
{
	for (int i = n - 1; i >= 0; i--)
		to[i] = from[i] - from[0] * 0.5;
}

NOINLINE void in_place(float *to, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = to[i] * 0.75f;
}

/* Moved only in part of the turns: no arithmetic, so nothing is noted. */
NOINLINE void moves(float *to, const float *from, const float *when, int n)
{
	for (int i = 0; i < n; i++)
		if (when[i] > 1e-30f)
			to[i] = from[i];
}

NOINLINE double sum(const double *from, int n)
{
	double s = 0;

	for (int i = 0; i < n; i += 3)
		s += from[i];
	return s;
}

/* What libm returns is no operand of anything; it may write errno. */
NOINLINE void calls(float *to, const float *from, float by, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = expf(from[i] * by);
}

/* A result that is stored in part of the turns, and one that is kept. */
NOINLINE double parts(double *to, const double *from, double by, int n)
{
	double last = 0;

	for (int i = 0; i < n; i++) {
		double r = from[i] * by;

		if (i % 3)
			to[i] = r;
		else
			last = r;
	}
	return last;
}

/* Loops in a loop: what is known of the flag goes from one to the next. */
NOINLINE void rows(float *to, const float *from, int n)
{
	for (int k = 0; k < 10; k++) {
		for (int i = 0; i < n / 10; i++)
			to[k * (n / 10) + i] = from[k * (n / 10) + i] * 0.25f;
		for (int i = 1; i < n / 10; i++)
			to[n + k * (n / 10) + i] = from[i - 1] - from[i];
	}
}

/* The quotient is needed in the last turn alone. */
NOINLINE float last(const float *from, int n)
{
	float q = 0;

	for (int i = 0; i < n; i++)
		q = from[i] / 3;
	return q;
}

NOINLINE int first(const float *from, float t, int n)
{
	int i = 0;

	while (i < n && from[i] * 2 > t)
		i++;
	return i;
}

static unsigned hash(const void *p, size_t n)
{
	unsigned h = 1;

	for (size_t i = 0; i < n; i++)
		h = h * 31 + ((const unsigned char *)p)[i];
	return h;
}

int main(int argc, char **argv)
{
	int clean = argc > 1 && !strcmp(argv[1], "clean"), k = 0;
	float tiny = clean ? 1 : 1e-40f, q = 0;
	double s = 0;

	if (argc > 1 && !strcmp(argv[1], "daz"))
		_mm_setcsr(_mm_getcsr() | 0x40);
	if (argc > 1 && !strcmp(argv[1], "ftz"))
		_mm_setcsr(_mm_getcsr() | 0x8000);
	feclearexcept(FE_ALL_EXCEPT);
	for (int round = 0; round < 200; round++) {
		/* Denormals come and go. */
		float low = round % 20 == 7 ? tiny : 0x1p-100f;

		for (int i = 0; i < N; i++) {
			a[i] = i % 50 ? 0x1p-10f : low;
			x[i] = i % 50 || low > 2e-38f ? 1 : 1e-310;
			c[i] = c[N + i] = a[i];
		}
		bears(b, a, clean || round % 10 != 3 ? 0x1p-10f : 0x1p-120f, N);
		shifts(c + 1, c, N);
		shifts(c, c + N, N);
		backwards(y, x, N);
		in_place(b, N);
		moves(c, a, b, N);
		calls(d, a, clean || round % 10 != 3 ? -1024 : -95 * 1024.0f, N);
		s += parts(z, y, clean || round % 10 != 4 ? 0.5 : 0x1p-1030, N);
		rows(e, a, N);
		s += sum(y, N);
		q += last(a, N);
		k += first(a, 1e-30f, N);
	}
	printf("%a %a %d %x %x %x %d\n", s, (double)q, k, hash(b, sizeof(b)), hash(c, sizeof(c)), hash(y, sizeof(y)),
	       fetestexcept(FE_ALL_EXCEPT));
	printf("%x %x %x\n", hash(d, sizeof(d)), hash(e, sizeof(e)), hash(z, sizeof(z)));
#ifdef CALM
	printf("%s\n", counted ? "some loops counted" : "no loop counted");
#endif
	return 0;
}
