/* SPDX-License-Identifier: MIT */
#include "lib/compare/paired.h"

#include <stdlib.h>

#include "lib/mem.h"
#include "lib/rng.h"
#include "lib/stats.h"

#define TAIL 0.025

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
		medians[k] = stats_median(sample, n);
	}
	stats_median(medians, resamples); /* sorts them */
	r.low = stats_quantile(medians, resamples, TAIL);
	r.high = stats_quantile(medians, resamples, 1.0 - TAIL);
	r.estimate = stats_median(ratio, n);
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
