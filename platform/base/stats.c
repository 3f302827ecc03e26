/* SPDX-License-Identifier: MIT */
#include "platform/base/stats.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

double stats_median(double *x, size_t n)
{
	gsl_sort(x, 1, n);
	return n ? gsl_stats_median_from_sorted_data(x, 1, n) : 0;
}

double stats_spread(const double *sorted, size_t n)
{
	double median = n ? gsl_stats_median_from_sorted_data(sorted, 1, n) : 0;

	if (median <= 0)
		return 0;
	return (gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.75) -
		gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.25)) /
	       median;
}
