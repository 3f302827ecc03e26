/* SPDX-License-Identifier: MIT */
/* Statistics of paired measurements: the paired bootstrap. */
#ifndef PERSEUS_LIB_COMPARE_PAIRED_H
#define PERSEUS_LIB_COMPARE_PAIRED_H

#include <stddef.h>
#include <stdint.h>

/* An estimate and its 95 % interval. */
struct paired_interval {
	double estimate;
	double low, high;
};

/*
 * The median of the @n > 0 ratios b[i] / a[i], all finite and positive, with
 * the 95 % percentile interval of @resamples bootstrap samples of whole pairs.
 * The same @seed gives the same interval.
 */
struct paired_interval paired_ratio(const double *a, const double *b, size_t n, unsigned resamples,
				    uint64_t seed);

enum paired_verdict { PAIRED_BELOW, PAIRED_ABOVE, PAIRED_OPEN };

/* Is the whole interval below @limit, above it, or is @limit inside? */
enum paired_verdict paired_judge(const struct paired_interval *i, double limit);

#endif
