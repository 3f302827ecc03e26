/* SPDX-License-Identifier: MIT */
/* One model: least squares on relative errors. */
#ifndef PERSEUS_PREDICTOR_MODEL_FIT_H
#define PERSEUS_PREDICTOR_MODEL_FIT_H

#include "predictor/model/growth.h"

#define FIT_MOST (GROWTH_TERMS + 1) /* coefficients */

/* Rows of one problem, and space to solve it in. */
struct fitter {
	size_t rows;
	double sd[GROWTH_SIZES]; /* of each row, relative */
	double y[GROWTH_SIZES];
	double freedom; /* of the noise that the rows were weighted by */
	void *space;
};

/* The first @rows of @s. */
void fitter_init(struct fitter *f, const struct growth_sizes *s, size_t rows);
void fitter_release(struct fitter *f);

/* Coefficients of @n columns, each with f->rows values. */
struct fit_result {
	double c[FIT_MOST], covariance[FIT_MOST][FIT_MOST], chi2;
};

/* 0, or -EDOM: the columns depend on one another, or there are more than rows. */
int fitter_solve(const struct fitter *f, const double *const *column, size_t n, struct fit_result *out);

/* The factor by which variances are larger than the noise says, and its degrees of freedom. */
double fitter_scale(const struct fitter *f, double chi2, size_t n, double *freedom);

/*
 * The logarithm of the evidence for a model of @n columns, but for what all models have: its likelihood,
 * and the part of what was possible beforehand that its coefficients leave.  Beforehand each column may
 * be as large as the figure itself at the last row.
 */
double fitter_evidence(const struct fitter *f, const double *const *column, const struct fit_result *r,
		       size_t n);

#endif
