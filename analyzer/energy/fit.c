/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/fit.h"

#include <errno.h>
#include <gsl/gsl_eigen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/energy/nnls.h"

/* Eigenvalues below this part of the largest are dependences between terms. */
#define RANK_LIMIT 1e-11

const char *const energy_methods[] = {"nnls", "ols", "ridge", "robust", NULL};

double energy_estimate(const struct energy_weights *w, const double *z)
{
	double y = w->constant;

	for (size_t i = 0; i < w->n; i++)
		y += w->w[i] * z[i];
	return y;
}

/* The terms that are fitted. */
struct terms {
	size_t n;
	size_t at[ENERGY_MAX_TERMS];
};

static struct terms used(const struct energy_normal *normal, uint64_t use)
{
	struct terms t = {0};

	for (size_t i = 0; i < normal->n; i++)
		if (use >> i & 1 && normal->sd[i] > 0)
			t.at[t.n++] = i;
	return t;
}

/* Correlations of the terms as eigenvalues and vectors, and what the power has of each vector. */
struct spectrum {
	gsl_vector *value;
	gsl_matrix *vector;
	double power[ENERGY_MAX_TERMS];
};

static struct spectrum spectrum_of(const struct energy_normal *normal, const struct terms *t)
{
	struct spectrum s = {gsl_vector_alloc(t->n), gsl_matrix_alloc(t->n, t->n), {0}};
	gsl_matrix *r = gsl_matrix_alloc(t->n, t->n);
	gsl_eigen_symmv_workspace *space = gsl_eigen_symmv_alloc(t->n);

	for (size_t i = 0; i < t->n; i++)
		for (size_t j = 0; j < t->n; j++)
			gsl_matrix_set(r, i, j, normal->r[t->at[i]][t->at[j]]);
	gsl_eigen_symmv(r, s.value, s.vector, space);
	gsl_eigen_symmv_sort(s.value, s.vector, GSL_EIGEN_SORT_VAL_DESC);
	for (size_t k = 0; k < t->n; k++)
		for (size_t i = 0; i < t->n; i++)
			s.power[k] += gsl_matrix_get(s.vector, i, k) * normal->r[t->at[i]][normal->n];
	gsl_eigen_symmv_free(space);
	gsl_matrix_free(r);
	return s;
}

static void spectrum_release(struct spectrum *s)
{
	gsl_vector_free(s->value);
	gsl_matrix_free(s->vector);
}

/* Sum of squared residuals of standardised power for a @penalty; *df is the number of terms it is worth. */
static double residual_of(const struct spectrum *s, size_t n, double penalty, double *df)
{
	double explained = 0, first = gsl_vector_get(s->value, 0);

	*df = 1;
	for (size_t k = 0; k < n; k++) {
		double v = gsl_vector_get(s->value, k), p = s->power[k];

		if (v < RANK_LIMIT * first)
			break;
		explained += p * p * (v + 2 * penalty) / ((v + penalty) * (v + penalty));
		*df += v / (v + penalty);
	}
	return 1 - explained;
}

/* The penalty of the least generalised cross-validation error, of 80 between 1e-9 and 10. */
static double best_penalty(const struct spectrum *s, size_t n, double rows)
{
	double best = 0, least = INFINITY;

	for (int i = 0; i < 80; i++) {
		double df, penalty = pow(10, -9 + i * 10.0 / 79);
		double rss = residual_of(s, n, penalty, &df), left = 1 - df / rows;
		double gcv = left > 0 ? rss / (left * left) : INFINITY;

		if (gcv < least) {
			least = gcv;
			best = penalty;
		}
	}
	return best;
}

static void fit_spectrum(const struct energy_normal *normal, const struct terms *t, bool ridge,
			 struct energy_weights *out)
{
	struct spectrum s = spectrum_of(normal, t);
	double first = gsl_vector_get(s.value, 0), df;

	out->penalty = ridge ? best_penalty(&s, t->n, normal->rows) : 0;
	for (size_t k = 0; k < t->n; k++) {
		double v = gsl_vector_get(s.value, k);

		if (v < RANK_LIMIT * first)
			break;
		for (size_t i = 0; i < t->n; i++)
			out->w[t->at[i]] += gsl_matrix_get(s.vector, i, k) * s.power[k] / (v + out->penalty);
	}
	out->rss = residual_of(&s, t->n, out->penalty, &df);
	spectrum_release(&s);
}

/* From standardised weights to those of the data. */
static void set_units(const struct energy_normal *normal, struct energy_weights *out)
{
	double sd = normal->sd[normal->n];

	out->constant = normal->mean[normal->n];
	for (size_t i = 0; i < normal->n; i++) {
		if (out->w[i] == 0)
			continue;
		out->w[i] *= sd / normal->sd[i];
		out->constant -= out->w[i] * normal->mean[i];
	}
	out->rss = fmax(out->rss, 0) * sd * sd * normal->rows;
}

int energy_fit(const struct energy_normal *normal, enum energy_method method, uint64_t use,
	       struct energy_weights *out, struct err *err)
{
	struct terms t = used(normal, use);

	memset(out, 0, sizeof(*out));
	out->n = normal->n;
	if (normal->rows < (double)t.n + 2)
		return err_set(err, -ENODATA,
			       "%.0f row%s for %zu term%s and a constant: at least %zu are needed",
			       normal->rows, normal->rows == 1 ? "" : "s", t.n, t.n == 1 ? "" : "s", t.n + 2);
	if (method == ENERGY_NNLS)
		return energy_nnls(normal, t.at, t.n, out, err);
	if (t.n)
		fit_spectrum(normal, &t, method == ENERGY_RIDGE, out);
	else
		out->rss = 1;
	set_units(normal, out);
	return 0;
}

void energy_inflation(const struct energy_normal *normal, uint64_t use, double *vif)
{
	struct terms t = used(normal, use);
	struct spectrum s;
	double first;

	for (size_t i = 0; i < normal->n; i++)
		vif[i] = 0;
	if (!t.n)
		return;
	s = spectrum_of(normal, &t);
	first = gsl_vector_get(s.value, 0);
	for (size_t i = 0; i < t.n; i++)
		for (size_t k = 0; k < t.n; k++) {
			double v = gsl_vector_get(s.value, k), e = gsl_matrix_get(s.vector, i, k);

			/* The diagonal of the inverse; a dependence makes it infinite for those that take part. */
			if (v > RANK_LIMIT * first)
				vif[t.at[i]] += e * e / v;
			else if (e * e > 1e-9)
				vif[t.at[i]] = INFINITY;
		}
	spectrum_release(&s);
}
