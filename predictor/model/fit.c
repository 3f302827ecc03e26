/* SPDX-License-Identifier: MIT */
#include "predictor/model/fit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

#define DEPENDENT 1e-8 /* what is left of a column of length 1 that the others do not have */

/* The covariance of the logarithms of two rows: noise and scatter of each, and the common part of the walk. */
static double row_covariance(const struct growth_sizes *s, const struct fit_level *level, size_t i, size_t k)
{
	const struct growth_size *last = &s->at[s->n - 1], *nearer = &s->at[i > k ? i : k];
	double walk = level->drift * level->drift * log(last->y / nearer->y);

	if (i == k)
		walk += level->scatter * level->scatter + s->at[i].variance / (double)s->at[i].runs;
	return walk;
}

/* The covariance in f->factor becomes its factor; where it has none no figure is a number, and nothing is fitted. */
static void fit_factor(struct fitter *f)
{
	gsl_matrix_view a =
		gsl_matrix_view_array_with_tda((double *)f->factor, f->rows, f->rows, GROWTH_SIZES);
	gsl_error_handler_t *before = gsl_set_error_handler_off();

	if (gsl_linalg_cholesky_decomp1(&a.matrix))
		f->factor[0][0] = NAN;
	gsl_set_error_handler(before);
}

void fitter_init(struct fitter *f, const struct growth_sizes *s, const struct fit_level *level)
{
	double ones[GROWTH_SIZES];

	f->rows = s->n;
	f->ln_det = 0;
	for (size_t i = 0; i < s->n; i++) {
		f->y[i] = ones[i] = s->at[i].y;
		for (size_t k = 0; k <= i; k++)
			f->factor[i][k] = row_covariance(s, level, i, k);
	}
	fit_factor(f);
	for (size_t i = 0; i < s->n; i++)
		f->ln_det += log(f->factor[i][i]);
	fitter_whiten(f, ones, f->white);
}

void fitter_whiten(const struct fitter *f, const double *column, double *out)
{
	gsl_matrix_const_view factor = gsl_matrix_const_view_array_with_tda((const double *)f->factor,
									    f->rows, f->rows, GROWTH_SIZES);
	gsl_vector_view x = gsl_vector_view_array(out, f->rows);

	for (size_t i = 0; i < f->rows; i++)
		out[i] = column[i] / f->y[i];
	gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, &factor.matrix, &x.vector);
}

static double fit_dot(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Take @q's direction out of @v; how much of it there was. */
static double fit_project(const double *q, double *v, size_t rows)
{
	double part = fit_dot(q, v, rows);

	for (size_t i = 0; i < rows; i++)
		v[i] -= part * q[i];
	return part;
}

/* Columns as orthogonal ones @q and a triangle @r; twice, for the sake of columns that are nearly alike. */
static bool fit_orthogonal(const double *const *white, size_t n, size_t rows, double q[][GROWTH_SIZES],
			   double r[FIT_MOST][FIT_MOST])
{
	for (size_t j = 0; j < n; j++) {
		double before = sqrt(fit_dot(white[j], white[j], rows));

		memcpy(q[j], white[j], rows * sizeof(double));
		memset(r[j], 0, FIT_MOST * sizeof(double));
		for (int again = 0; again < 2; again++)
			for (size_t k = 0; k < j; k++)
				r[k][j] += fit_project(q[k], q[j], rows);
		r[j][j] = sqrt(fit_dot(q[j], q[j], rows));
		if (!(r[j][j] > DEPENDENT * before) || !isfinite(before))
			return false;
		for (size_t i = 0; i < rows; i++)
			q[j][i] /= r[j][j];
	}
	return true;
}

int fitter_solve(const struct fitter *f, const double *const *white, size_t n, struct fit_result *out)
{
	double q[FIT_MOST][GROWTH_SIZES], r[FIT_MOST][FIT_MOST], inverse[FIT_MOST][FIT_MOST] = {{0}};
	double rest[GROWTH_SIZES], part[FIT_MOST];

	if (n > f->rows || !n || !fit_orthogonal(white, n, f->rows, q, r))
		return -EDOM;
	memcpy(rest, f->white, f->rows * sizeof(double));
	for (size_t j = 0; j < n; j++)
		part[j] = fit_project(q[j], rest, f->rows);
	out->chi2 = fit_dot(rest, rest, f->rows);
	for (size_t j = n; j-- > 0;) {
		inverse[j][j] = 1 / r[j][j];
		for (size_t k = j + 1; k < n; k++) {
			for (size_t l = j + 1; l <= k; l++)
				inverse[j][k] -= r[j][l] * inverse[l][k];
			inverse[j][k] /= r[j][j];
		}
	}
	for (size_t j = 0; j < n; j++) {
		out->c[j] = fit_dot(inverse[j], part, n);
		for (size_t k = 0; k < n; k++)
			out->covariance[j][k] = fit_dot(inverse[j], inverse[k], n);
	}
	return isfinite(out->chi2) ? 0 : -EDOM;
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

double fitter_evidence(const struct fitter *f, const double *last, const struct fit_result *r, size_t n)
{
	double after[FIT_MOST][FIT_MOST], sum[FIT_MOST][FIT_MOST], y = f->y[f->rows - 1], left;

	for (size_t j = 0; j < n; j++)
		for (size_t k = 0; k < n; k++) {
			after[j][k] = r->covariance[j][k] * last[j] / y * last[k] / y;
			sum[j][k] = after[j][k] + (j == k);
		}
	/* (after^-1 + 1)^-1: what the rows and the limit beforehand leave together. */
	left = determinant(after, n) / determinant(sum, n);
	return -f->ln_det - r->chi2 / 2 + log(fmax(left, 1e-60)) / 2;
}
