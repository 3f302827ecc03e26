/* SPDX-License-Identifier: MIT */
#include "lib/paired.h"

#include <stdlib.h>

#include "lib/mem.h"
#include "lib/rng.h"

#define TAIL 0.025

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double paired_quantile(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;

	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

double paired_median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), ascending);
	return paired_quantile(v, n, 0.5);
}

struct paired_interval paired_ratio(const double *a, const double *b, size_t n, unsigned resamples,
				    uint64_t seed)
{
	double *ratio = mem_new(n, sizeof(*ratio));
	double *sample = mem_new(n, sizeof(*sample));
	double *medians = mem_new(resamples, sizeof(*medians));
	struct paired_interval r;

	for (size_t i = 0; i < n; i++)
		ratio[i] = b[i] / a[i];
	for (unsigned k = 0; k < resamples; k++) {
		struct rng rng = rng_keyed(seed, k, n, 0);

		for (size_t i = 0; i < n; i++)
			sample[i] = ratio[rng_below(&rng, n)];
		medians[k] = paired_median(sample, n);
	}
	qsort(medians, resamples, sizeof(*medians), ascending);
	r.low = paired_quantile(medians, resamples, TAIL);
	r.high = paired_quantile(medians, resamples, 1.0 - TAIL);
	r.estimate = paired_median(ratio, n);
	free(medians);
	free(sample);
	free(ratio);
	return r;
}

enum paired_verdict paired_judge(const struct paired_interval *i, double limit)
{
	if (i->high < limit)
		return PAIRED_BELOW;
	return i->low > limit ? PAIRED_ABOVE : PAIRED_OPEN;
}
