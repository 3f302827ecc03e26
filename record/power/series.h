/* SPDX-License-Identifier: MIT */
/* What a meter showed over time, in its own clock. */
#ifndef PERSEUS_RECORD_POWER_SERIES_H
#define PERSEUS_RECORD_POWER_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/* A distance of so many intervals is a gap. */
#define SERIES_GAP 1.6

#define SERIES_MAX 64000000 /* readings that are kept: 1 GB */

struct series {
	double *t, *watts; /* t strictly ascending, s */
	size_t n, cap;
	double interval; /* median of the distances */
	double *edges;   /* where a trigger changed: up, down, up, ...; half way between two readings */
	size_t n_edges, cap_edges;
	bool has_trigger, high;    /* high: at the first reading */
	uint64_t missing, doubled; /* readings that are not there, or were there twice and are dropped */
	double first_missing;      /* where the first of them would be, s */
	double longest_gap;        /* s */
};

/*
 * Append a reading.  One at the time of the one before is doubled: equal ones count
 * once, of unequal ones the mean.  -EINVAL: time goes back; -E2BIG.
 */
int series_add(struct series *s, double t, double watts, struct err *err);

/* A trigger changed at @t. */
void series_edge(struct series *s, double t);

/* All is there: the interval and what is missing. -ENODATA: fewer than three readings. */
int series_finish(struct series *s, const char *name, struct err *err);

/*
 * Joules between @from and @to by trapezoids, @gap (NULL: not wanted) the seconds of
 * it in which readings are missing.  Outside of the series nothing is known: 0.
 */
double series_joules(const struct series *s, double from, double to, double *gap);

void series_release(struct series *s);

#endif
