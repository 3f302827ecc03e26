/* SPDX-License-Identifier: MIT */
#include "lib/compare/groups.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/stats.h"

/* The variance of the mean of @g, and its degrees of freedom. */
static double variance(const struct group *g, double mean, double apart, double *df)
{
	double seen = stats_sd(g->value, g->n), known = 0, each, part = g->n < GROUPS_SEEN ? 1 : g->least;

	for (size_t i = 0; i < g->n; i++)
		known += g->sd[i] * g->sd[i] / (double)g->n;
	each = fmax(seen * seen, part * part * known);
	*df = g->n < GROUPS_SEEN ? GROUPS_DF : (double)g->n - 1;
	return each / (double)g->n + apart * apart * mean * mean;
}

/* Welch and Satterthwaite. */
static double joint_df(double va, double da, double vb, double db)
{
	double sum = va + vb, parts = va * va / da + vb * vb / db;

	return parts > 0 ? sum * sum / parts : GROUPS_DF;
}

struct group_difference groups_compare(const struct group *a, const struct group *b, double apart)
{
	struct group_difference d = {.a = stats_mean(a->value, a->n), .b = stats_mean(b->value, b->n)};
	double da, db, va = variance(a, d.a, apart, &da), vb = variance(b, d.b, apart, &db);
	double reach;

	d.difference = d.b - d.a;
	d.df = joint_df(va, da, vb, db);
	d.se = sqrt(va + vb);
	reach = d.se * gsl_cdf_tdist_Qinv(0.025, d.df);
	d.low = d.difference - reach;
	d.high = d.difference + reach;
	if (d.se > 0)
		d.p = 2 * gsl_cdf_tdist_Q(fabs(d.difference) / d.se, d.df);
	else
		d.p = d.difference != 0 ? 0 : 1;
	return d;
}

double groups_least(const struct group_difference *d, double p)
{
	return d->se * gsl_cdf_tdist_Qinv(0.5 * p, d->df);
}

void groups_holm(double *p, size_t n)
{
	size_t *order = mem_new(n + 1, sizeof(*order));
	double least = 0;

	gsl_sort_index(order, p, 1, n);
	for (size_t i = 0; i < n; i++) {
		double *q = &p[order[i]], corrected = *q * (double)(n - i);

		least = corrected > least ? corrected : least;
		*q = least < 1 ? least : 1;
	}
	free(order);
}
