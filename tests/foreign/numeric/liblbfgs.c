/* SPDX-License-Identifier: MIT */
/* The least of a function of 20 variables, in units of SCALE: liblbfgs SCALE. */
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

#include "lbfgs.h"
#include "tests/foreign/numeric/hash.h"

#define N 20

static double value(void *scale, const double *x, double *g, int n, double step)
{
	double s = *(double *)scale, f = 0;

	(void)step;
	for (int i = 0; i < n; i += 2) {
		double a = s - x[i], b = 10 * (x[i + 1] - x[i]);

		g[i + 1] = 20 * b;
		g[i] = -2 * (a + 10 * b);
		f += a * a + b * b;
	}
	return f;
}

int main(int argc, char **argv)
{
	double scale = argc > 1 ? atof(argv[1]) : 1, f = 0, *x = lbfgs_malloc(N);
	lbfgs_parameter_t how;
	int ret;

	lbfgs_parameter_init(&how);
	how.epsilon = 1e-12;
	how.max_iterations = 60;
	for (int i = 0; i < N; i++)
		x[i] = scale * (i % 2 ? 1 : -1.25);
	ret = lbfgs(N, x, &f, value, NULL, &scale, &how);
	printf("%d %a %08x %d\n", ret, f, hash(x, N * sizeof(*x)), fetestexcept(FE_ALL_EXCEPT));
	lbfgs_free(x);
	return 5;
}
