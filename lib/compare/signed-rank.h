/* SPDX-License-Identifier: MIT */
/* The signed-rank test (Wilcoxon), turned round: an interval of the centre of symmetric values. */
#ifndef PERSEUS_LIB_COMPARE_SIGNED_RANK_H
#define PERSEUS_LIB_COMPARE_SIGNED_RANK_H

#include <stddef.h>

/*
 * The rank of the Walsh average below which the truth lies with probability @alpha at
 * most, by @n values; 0: there are too few to say.
 */
size_t signed_rank_critical(unsigned n, double alpha);

/* The means of all pairs of @n values, each with itself as well, ascending; the caller frees them. */
double *signed_rank_walsh(const double *value, unsigned n, size_t *count);

/* The centre, and an interval that misses it with probability @alpha at most on each side. */
struct signed_rank {
	double estimate;
	double low, high; /* -INFINITY and INFINITY: too few values to say */
};
struct signed_rank signed_rank_interval(const double *value, unsigned n, double alpha);

#endif
