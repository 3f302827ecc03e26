/* SPDX-License-Identifier: MIT */
/* Sums of products, whose last bits hang on which products are contracted. */
#include <stdio.h>
#include <string.h>

#define N 64

struct biquad {
	double b0, b1, a1, z;
};
static unsigned long long hash;

static void add(const double *x, int n)
{
	for (int i = 0; i < n; i++) {
		unsigned long long bits;

		memcpy(&bits, x + i, 8);
		hash = hash * 31 + bits;
	}
}

/* The first product and its sum have a load between them whose value goes on to the next turn. */
__attribute__((noinline)) static void two_products(struct biquad *q, double *x, int n)
{
	for (int i = 0; i < n; i++) {
		double v = q->b0 * x[i] + q->z;

		q->z = q->b1 * x[i] - q->a1 * v;
		x[i] = v;
	}
}

/* So many values that they are counted by a call. */
__attribute__((noinline)) static void lattice(const double *k, double *g, double *x, int n)
{
	for (int i = 0; i < n; i++) {
		double f = x[i];

		for (int m = 7; m >= 0; m--) {
			f = f - k[m] * g[m];
			g[m + 1] = g[m] + k[m] * f;
		}
		g[0] = f;
		x[i] = f;
	}
}

/* One product with two sums, one of them behind what is counted first. */
__attribute__((noinline)) static double used_twice(const double *x, double *y, double s, int n)
{
	for (int i = 0; i < n; i++) {
		double p = x[i] * 0.3;

		y[i] = p + s;
		s = y[i] * 0.5 - p;
	}
	return s;
}

int main(void)
{
	struct biquad q = {.3, .2, -.4, 0};
	double x[N], y[N], k[8], g[9] = {0}, s;

	for (int i = 0; i < N; i++)
		x[i] = 1. / (i + 3);
	for (int i = 0; i < 8; i++)
		k[i] = .1 + .07 * i;
	for (int t = 0; t < 9; t++) {
		two_products(&q, x, N);
		add(x, N);
		lattice(k, g, x, N);
		add(x, N);
		s = used_twice(x, y, 1, N);
		add(y, N);
		add(&s, 1);
	}
	printf("%llx\n", hash);
	return 0;
}
