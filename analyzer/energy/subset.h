/* SPDX-License-Identifier: MIT */
/* The best set of events of each size, exactly. */
#ifndef PERSEUS_ENERGY_SUBSET_H
#define PERSEUS_ENERGY_SUBSET_H

#include "analyzer/energy/data/gram.h"

#define ENERGY_MAX_SUBSET   35        /* candidates that are searched exactly */
#define ENERGY_SUBSET_LIMIT 200000000 /* regressions before the search gives up */

/* May the terms in @set be counted at once?  NULL: any may. */
typedef bool energy_countable(void *context, uint64_t set);

struct energy_subset {
	uint64_t set; /* bit i: term i; 0: none of this size is countable */
	double rss;   /* W^2 */
};

struct energy_subsets {
	size_t largest;
	struct energy_subset best[ENERGY_MAX_SUBSET + 1]; /* by size, from 1 */
	uint64_t tried;                                   /* regressions */
	bool exact;                                       /* false: given up after ENERGY_SUBSET_LIMIT */
};

/*
 * Among the terms of @candidates the least sum of squared residuals of ordinary
 * least squares with a constant, for each size up to @largest: branch and bound
 * that drops one term at a time from the whole set.  -E2BIG: too many candidates,
 * -EINVAL: they depend on one another.
 */
int energy_subsets_find(const struct energy_normal *normal, uint64_t candidates, size_t largest,
			energy_countable *countable, void *context, struct energy_subsets *out,
			struct err *err);

#endif
