/* SPDX-License-Identifier: MIT */
/* Complex numbers, which some versions of GCC store as two; argument: 1e-320 for denormals, 1 for none. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000

static double x[N], y[N];
static _Complex double q[N];

int main(int argc, char **argv)
{
	double small = argc > 1 ? atof(argv[1]) : 1;

	for (int i = 0; i < N; i++) {
		x[i] = small * i;
		y[i] = 1.5 * i;
	}
	for (int i = 0; i < N; i++)
		q[i] = x[i] + y[i] * I;
	printf("%g %g\n", creal(q[500]), cimag(q[500]));
	return 0;
}
