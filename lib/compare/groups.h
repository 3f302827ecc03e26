/* SPDX-License-Identifier: MIT */
/* Two groups of unpaired measurements, and many such comparisons at once.  See README.md. */
#ifndef PERSEUS_LIB_COMPARE_GROUPS_H
#define PERSEUS_LIB_COMPARE_GROUPS_H

#include <stddef.h>

#define GROUPS_SEEN 3 /* measurements of a side whose spread says something */

/* One side: its measurements, and the standard deviation that each of them has by what else is known. */
struct group {
	const double *value;
	const double *sd;
	size_t n;     /* > 0 */
	double least; /* part of sd that the spread is not below, however many agree; 0: none */
};

/* The difference of the means, second less first. */
struct group_difference {
	double a, b; /* the means */
	double difference;
	double low, high; /* 95 % interval of the difference */
	double se, df;    /* of the difference; degrees of freedom */
	double p;         /* two-sided probability of as large a difference if there is none */
};

/*
 * Compare @a and @b.  A side with GROUPS_SEEN measurements has the spread that
 * they show (Welch), one with fewer the larger of that and what its sd say
 * (GROUPS_DF degrees of freedom).  @apart, a part of the mean, is added to
 * both: what two groups differ by since they were not measured at the same time.
 */
#define GROUPS_DF 8
struct group_difference groups_compare(const struct group *a, const struct group *b, double apart);

/* The least difference whose probability would be below @p. */
double groups_least(const struct group_difference *d, double p);

/*
 * Holm: correct @n probabilities in place, so that each may be compared with
 * the probability of one false positive among all of them.
 */
void groups_holm(double *p, size_t n);

#endif
