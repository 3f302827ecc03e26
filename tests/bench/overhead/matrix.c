/* SPDX-License-Identifier: MIT */
/* matrix N: a product of matrices, a call for each element: few calls, which last. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static int n;

NOINLINE static double dot(const double *a, const double *b)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += a[i] * b[i];
	return s;
}

NOINLINE static void row(double *c, const double *a, const double *b)
{
	for (int j = 0; j < n; j++)
		c[j] = dot(a, b + (size_t)j * (size_t)n);
}

int main(int argc, char **argv)
{
	size_t all;
	double *a, *b, *c;

	n = argc > 1 ? atoi(argv[1]) : 800;
	all = (size_t)n * (size_t)n;
	a = malloc(all * sizeof(*a));
	b = malloc(all * sizeof(*b));
	c = malloc(all * sizeof(*c));
	for (size_t i = 0; i < all; i++) {
		a[i] = (double)(i % 13);
		b[i] = (double)(i % 7);
	}
	for (size_t i = 0; i < all; i += (size_t)n)
		row(c + i, a + i, b);
	printf("%f\n", c[all / 2]);
	free(a);
	free(b);
	free(c);
	return 0;
}
