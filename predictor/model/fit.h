/* SPDX-License-Identifier: MIT */
/* One model: least squares on relative errors, at one level of what no model explains. */
#ifndef PERSEUS_PREDICTOR_MODEL_FIT_H
#define PERSEUS_PREDICTOR_MODEL_FIT_H

#include "predictor/model/growth.h"

#define FIT_MOST (GROWTH_TERMS + 1) /* coefficients */

/*
 * How far a task is from every model: each size by itself (its data), and a walk that goes on with the
 * logarithm of the figure (what the search space has no term for).  Standard deviations, relative.
 */
struct fit_level {
	double scatter; /* of a size */
	double drift;   /* of a figure that is e times as large */
	double prior;   /* logarithm */
};

/* Rows of one problem at one level. */
struct fitter {
	size_t rows;
	double y[GROWTH_SIZES];
	double factor[GROWTH_SIZES][GROWTH_SIZES]; /* of the covariance of the rows: lower triangle */
	double white[GROWTH_SIZES];                /* what is fitted: 1 in each row, whitened */
	double ln_det;                             /* half the logarithm of the covariance's determinant */
};

/* All sizes of @s. */
void fitter_init(struct fitter *f, const struct growth_sizes *s, const struct fit_level *level);

/* A column of f->rows values, relative to the figures, and such that errors are alike and independent. */
void fitter_whiten(const struct fitter *f, const double *column, double *out);

/* Coefficients of @n columns. */
struct fit_result {
	double c[FIT_MOST], covariance[FIT_MOST][FIT_MOST], chi2;
};

/* Fit whitened columns.  0, or -EDOM: they depend on one another, or there are more than rows. */
int fitter_solve(const struct fitter *f, const double *const *white, size_t n, struct fit_result *out);

/*
 * The logarithm of the evidence for a model of @n columns, but for what all models have: its likelihood,
 * and the part of what was possible beforehand that its coefficients leave.  Beforehand each column may
 * be as large as the figure itself at the last row, where it is @last.
 */
double fitter_evidence(const struct fitter *f, const double *last, const struct fit_result *r, size_t n);

#endif
