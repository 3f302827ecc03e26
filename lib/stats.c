/* SPDX-License-Identifier: MIT */
#include "lib/stats.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

double stats_mean(const double *x, size_t n)
{
	return n ? gsl_stats_mean(x, 1, n) : 0;
}

double stats_sd(const double *x, size_t n)
{
	return n > 1 ? gsl_stats_sd(x, 1, n) : 0;
}

double stats_median(double *x, size_t n)
{
	gsl_sort(x, 1, n);
	return stats_quantile(x, n, 0.5);
}

double stats_quantile(const double *sorted, size_t n, double q)
{
	return n ? gsl_stats_quantile_from_sorted_data(sorted, 1, n, q) : 0;
}

double stats_spread(const double *sorted, size_t n)
{
	double median = stats_quantile(sorted, n, 0.5);

	if (median <= 0)
		return 0;
	return (stats_quantile(sorted, n, 0.75) - stats_quantile(sorted, n, 0.25)) / median;
}
