/* SPDX-License-Identifier: MIT */
/* Linear models of power from means and correlations. */
#ifndef PERSEUS_ENERGY_FIT_H
#define PERSEUS_ENERGY_FIT_H

#include <stdint.h>

#include "analyzer/energy/data/gram.h"

enum energy_method {
	ENERGY_NNLS,   /* no weight and no constant below 0: joules of a part are never negative */
	ENERGY_OLS,    /* ordinary least squares, of least norm where terms depend on one another */
	ENERGY_RIDGE,  /* penalty by generalised cross-validation */
	ENERGY_ROBUST, /* rows far off count little: of rows, see robust.h */
	ENERGY_METHODS
};

/* "nnls", "ols", "ridge", "robust"; NULL behind the last one. */
extern const char *const energy_methods[];

struct energy_weights {
	size_t n;
	double constant;            /* W */
	double w[ENERGY_MAX_TERMS]; /* W per unit of the term; 0: not used */
	double rss;                 /* sum of squared residuals on the rows of the fit, W^2 */
	double penalty;             /* of ridge */
};

/*
 * Fit the terms in @use (bit i: term i) by any method but ENERGY_ROBUST.  Terms without
 * spread get weight 0.
 * Fails with -ENODATA where there are fewer rows than terms and 2 more.
 */
int energy_fit(const struct energy_normal *normal, enum energy_method method, uint64_t use,
	       struct energy_weights *out, struct err *err);

/* What @w says of terms @z, W. */
double energy_estimate(const struct energy_weights *w, const double *z);

/*
 * Variance inflation of each term in @use by the others, 1 / (1 - R^2): INFINITY
 * where it is a sum of others.
 */
void energy_inflation(const struct energy_normal *normal, uint64_t use, double *vif);

#endif
