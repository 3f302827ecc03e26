/* SPDX-License-Identifier: MIT */
#include "predictor/model/fit.h"

#include <errno.h>
#include <gsl/gsl_multifit.h>
#include <math.h>

#define FLOOR   2e-3 /* of the deviation of a row */
#define FREEDOM 4.0  /* at most: models are never quite right, however well the noise is known */

struct fit_space {
	gsl_multifit_linear_workspace *work[FIT_MOST];
	gsl_matrix *x[FIT_MOST], *covariance[FIT_MOST];
	gsl_vector *y, *w, *c[FIT_MOST];
};

void fitter_init(struct fitter *f, const struct growth_sizes *s, size_t rows)
{
	struct fit_space *space = mem_new(1, sizeof(*space));

	f->rows = rows;
	f->freedom = s->spare ? fmin((double)s->spare, FREEDOM) : 1;
	f->space = space;
	space->y = gsl_vector_alloc(rows);
	space->w = gsl_vector_alloc(rows);
	for (size_t i = 0; i < rows; i++) {
		f->y[i] = s->at[i].y;
		f->sd[i] = fmax(sqrt(s->at[i].variance / (double)s->at[i].runs), FLOOR);
		gsl_vector_set(space->y, i, 1);
		gsl_vector_set(space->w, i, 1 / (f->sd[i] * f->sd[i]));
	}
	for (size_t n = 1; n <= FIT_MOST && n <= rows; n++) {
		space->work[n - 1] = gsl_multifit_linear_alloc(rows, n);
		space->x[n - 1] = gsl_matrix_alloc(rows, n);
		space->covariance[n - 1] = gsl_matrix_alloc(n, n);
		space->c[n - 1] = gsl_vector_alloc(n);
	}
}

void fitter_release(struct fitter *f)
{
	struct fit_space *space = f->space;

	for (size_t n = 0; n < FIT_MOST && space->work[n]; n++) {
		gsl_multifit_linear_free(space->work[n]);
		gsl_matrix_free(space->x[n]);
		gsl_matrix_free(space->covariance[n]);
		gsl_vector_free(space->c[n]);
	}
	gsl_vector_free(space->y);
	gsl_vector_free(space->w);
	free(space);
}

/* Columns relative to the figure, each of them 1 at most: *@unit has what they were divided by. */
static bool fill_columns(const struct fitter *f, const double *const *column, size_t n, gsl_matrix *x,
			 double *unit)
{
	for (size_t j = 0; j < n; j++) {
		unit[j] = 0;
		for (size_t i = 0; i < f->rows; i++)
			unit[j] = fmax(unit[j], fabs(column[j][i] / f->y[i]));
		if (!(unit[j] > 0) || !isfinite(unit[j]))
			return false;
		for (size_t i = 0; i < f->rows; i++)
			gsl_matrix_set(x, i, j, column[j][i] / f->y[i] / unit[j]);
	}
	return true;
}

int fitter_solve(const struct fitter *f, const double *const *column, size_t n, struct fit_result *out)
{
	struct fit_space *s = f->space;
	double unit[FIT_MOST];
	size_t rank;

	if (n > f->rows || !n || !fill_columns(f, column, n, s->x[n - 1], unit))
		return -EDOM;
	if (gsl_multifit_wlinear_tsvd(s->x[n - 1], s->w, s->y, 1e-9, s->c[n - 1], s->covariance[n - 1],
				      &out->chi2, &rank, s->work[n - 1]) ||
	    rank < n || !isfinite(out->chi2))
		return -EDOM;
	for (size_t j = 0; j < n; j++) {
		out->c[j] = gsl_vector_get(s->c[n - 1], j) / unit[j];
		for (size_t k = 0; k < n; k++)
			out->covariance[j][k] =
				gsl_matrix_get(s->covariance[n - 1], j, k) / unit[j] / unit[k];
	}
	return 0;
}

double fitter_scale(const struct fitter *f, double chi2, size_t n, double *freedom)
{
	*freedom = f->freedom + (double)f->rows - (double)n;
	return (f->freedom + chi2) / *freedom;
}

static double determinant(double m[FIT_MOST][FIT_MOST], size_t n)
{
	if (n == 1)
		return m[0][0];
	if (n == 2)
		return m[0][0] * m[1][1] - m[0][1] * m[1][0];
	return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
	       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
	       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

double fitter_evidence(const struct fitter *f, const double *const *column, const struct fit_result *r,
		       size_t n)
{
	double freedom, scale = fitter_scale(f, r->chi2, n, &freedom), rows = (double)f->rows;
	double after[FIT_MOST][FIT_MOST], sum[FIT_MOST][FIT_MOST], last = f->y[f->rows - 1], left;

	for (size_t j = 0; j < n; j++)
		for (size_t k = 0; k < n; k++) {
			after[j][k] = scale * r->covariance[j][k] * column[j][f->rows - 1] / last *
				      column[k][f->rows - 1] / last;
			sum[j][k] = after[j][k] + (j == k);
		}
	/* (after^-1 + 1)^-1: what the rows and the limit beforehand leave together. */
	left = determinant(after, n) / determinant(sum, n);
	return -(f->freedom + rows) / 2 * log(f->freedom + r->chi2) + log(fmax(left, 1e-60)) / 2;
}
