/* SPDX-License-Identifier: MIT */
/* Statistics of small samples: the only user of GSL's. */
#ifndef PERSEUS_LIB_STATS_H
#define PERSEUS_LIB_STATS_H

#include <stddef.h>

/* Mean, 0 for an empty sample; standard deviation of a sample, 0 below two values. */
double stats_mean(const double *x, size_t n);
double stats_sd(const double *x, size_t n);

/* Median; sorts @x, ascending.  0 for an empty sample. */
double stats_median(double *x, size_t n);

/* Quantile @q in [0, 1] of ascending values, linear between neighbours; 0 for an empty sample. */
double stats_quantile(const double *sorted, size_t n, double q);

/* Distance between the quartiles over the median, of a sample that stats_median() sorted; 0 if it has none. */
double stats_spread(const double *sorted, size_t n);

#endif
