/* SPDX-License-Identifier: MIT */
/* Least squares in which rows that are far off count little, and the rows that it needs. */
#ifndef PERSEUS_ENERGY_ROBUST_H
#define PERSEUS_ENERGY_ROBUST_H

#include "analyzer/energy/folds.h"

/*
 * Fit the terms in @use of @n rows at @z, of @terms values and the power each, by
 * iteratively reweighted least squares with Tukey's bisquare (4.685 times the
 * deviation by the median, residuals adjusted for leverage).  Fails as energy_fit(),
 * and with -EDOM where it does not settle in 1000 rounds.
 */
int energy_robust(const double *z, size_t n, size_t terms, uint64_t use, struct energy_weights *out,
		  struct err *err);

#define ENERGY_KEPT_BYTES ((size_t)128 << 20)

/* All rows of a table: sums of products do not say which of them are far off. */
struct energy_kept {
	size_t n, events;
	double *value;  /* events + 3 of each row: events, watts, volt, mhz */
	uint32_t *cell; /* of each row */
};

/* Read @t once more, of which @c are the cells.  -E2BIG: more than ENERGY_KEPT_BYTES. */
int energy_kept_read(struct energy_kept *k, struct energy_table *t, const struct energy_cells *c,
		     struct err *err);
void energy_kept_release(struct energy_kept *k);

/* energy_robust() of the rows of @slice outside of group @without of @g (NULL: of all). */
int energy_kept_fit(const struct energy_kept *k, const struct energy_cells *c,
		    const struct energy_slice *slice, const struct energy_groups *g, uint32_t without,
		    uint64_t use, struct energy_weights *out, struct err *err);

#endif
