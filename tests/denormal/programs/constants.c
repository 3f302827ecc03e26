/* SPDX-License-Identifier: MIT */
/* Operands that are constants: denormal in part of the functions, normal in their twins. */
#include <stdio.h>

#define N        100
#define NOINLINE __attribute__((noinline)) static

typedef float v4 __attribute__((vector_size(16)));

static float a[N], b[N];
static double x[N], y[N];
static v4 v[N];

/* Propagation: the constant is denormal. */
NOINLINE void propagates(int n)
{
	for (int i = 0; i < n; i++)
		y[i] = x[i] * 1e-310;
}

/* Birth: both are normal. */
NOINLINE void bears(int n)
{
	for (int i = 0; i < n; i++)
		y[i] = x[i] * 3e-308;
}

/* Death: the result is normal. */
NOINLINE void ends(int n)
{
	for (int i = 0; i < n; i++)
		b[i] = a[i] + 1e-40f;
}

NOINLINE void none(int n)
{
	for (int i = 0; i < n; i++)
		b[i] = a[i] + 1e-30f;
}

/* A constant of the loop, which the compiler may or may not see. */
NOINLINE void invariant(int n)
{
	float k = 1e-20f;

	k *= 1e-20f;
	for (int i = 0; i < n; i++)
		b[i] = a[i] * k;
}

/* One lane of four. */
NOINLINE void lanes(int n)
{
	for (int i = 0; i < n; i++)
		v[i] = v[i] * (v4){1e-40f, .5f, .5f, 1e-37f};
}

NOINLINE int compares(int n)
{
	int k = 0;

	for (int i = 0; i < n; i++)
		k += a[i] > 1e-40f;
	return k;
}

NOINLINE float once(float f)
{
	return f * 1e-40f;
}

int main(void)
{
	volatile float half = .5f;
	double sum = 0;
	float s;
	int k;

	for (int i = 0; i < N; i++) {
		a[i] = b[i] = .5f;
		x[i] = y[i] = .5;
		v[i] = (v4){.5f, .5f, .5f, .0625f};
	}
	propagates(N);
	for (int i = 0; i < N; i++)
		sum += y[i] * 0x1p1000;
	bears(N);
	for (int i = 0; i < N; i++)
		sum += y[i] * 0x1p1000;
	ends(N);
	none(N);
	invariant(N);
	lanes(N);
	k = compares(N);
	s = once(half);
	printf("%a %a %a %a %a %d\n", sum, (double)b[3], (double)v[1][0], (double)v[1][3], (double)s, k);
	return 0;
}
