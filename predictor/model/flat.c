/* SPDX-License-Identifier: MIT */
/* Figures that do not grow beyond their spread: what may hide in it. */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "predictor/model/growth.h"

#define SEEN   0.99 /* probability: growth that is as sure as that is one */
#define HIDDEN 0.95 /* ... and what hides is no more than this */

/* Exponents that a task may have. */
static const double powers[] = {0.5, 1, 2, 3};

/* A straight line through the sizes: figure by x^p. */
struct flat_line {
	double constant, slope, error; /* the last two at the largest size, the error a standard deviation */
};

static double largest_of(const struct growth_sizes *s)
{
	double x = 0;

	for (size_t i = 0; i < s->n; i++)
		x = fmax(x, s->at[i].x[0]);
	return x;
}

/* By least squares; the spread is that about the line, or that of runs where it is more. */
static struct flat_line flat_through(const struct growth_sizes *s, double p)
{
	double n = (double)s->n, most = largest_of(s), x = 0, y = 0, xx = 0, xy = 0, yy = 0, runs = 0, rest;
	struct flat_line line;

	for (size_t i = 0; i < s->n; i++) {
		x += pow(s->at[i].x[0] / most, p) / n;
		y += s->at[i].y / n;
	}
	for (size_t i = 0; i < s->n; i++) {
		double a = pow(s->at[i].x[0] / most, p) - x, b = s->at[i].y - y;

		xx += a * a;
		xy += a * b;
		yy += b * b;
		runs += s->spare ? s->at[i].variance / (double)s->at[i].runs * y * y / n : 0;
	}
	line.slope = xy / xx;
	line.constant = y - line.slope * x;
	rest = fmax(yy - line.slope * xy, 0) / (n - 2);
	line.error = sqrt(fmax(rest, runs) / xx);
	return line;
}

bool growth_flat(const struct growth_sizes *s, const double *target, double *hidden)
{
	double beyond, freedom = (double)s->n - 2;

	*hidden = 0;
	if (s->params > 1 || s->n < GROWTH_LEAST)
		return false;
	beyond = target[0] / largest_of(s);
	for (size_t k = 0; k < sizeof(powers) / sizeof(powers[0]); k++) {
		struct flat_line line = flat_through(s, powers[k]);
		double most = line.slope + gsl_cdf_tdist_Pinv(HIDDEN, freedom) * line.error;

		if (line.slope > gsl_cdf_tdist_Pinv(SEEN, freedom) * line.error)
			return false;
		if (most > 0)
			*hidden = fmax(*hidden, fmax(line.constant, 0) + most * pow(beyond, powers[k]));
	}
	return beyond > 1;
}
