/* SPDX-License-Identifier: MIT */
/* Medians of small samples. */
#ifndef PERSEUS_PLATFORM_BASE_STATS_H
#define PERSEUS_PLATFORM_BASE_STATS_H

#include <stddef.h>

/* Median; sorts @x.  0 for an empty sample. */
double stats_median(double *x, size_t n);

/* Distance between the quartiles over the median, of a sample that stats_median() sorted; 0 if it has none. */
double stats_spread(const double *sorted, size_t n);

#endif
