/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/estimate.h"

#include <gsl/gsl_eigen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* Directions in which the training rows have less than this part of the average spread count with it. */
#define LEAST_SPREAD 1e-3

static double precision_at(const struct energy_model *m, size_t i, size_t j)
{
	return i >= j ? m->precision[i * (i + 1) / 2 + j] : m->precision[j * (j + 1) / 2 + i];
}

double energy_distance(const struct energy_model *m, const double *z)
{
	double d[ENERGY_MAX_TERMS], sum = 0;
	size_t n = m->n_mean, spread = 0;

	for (size_t i = 0; i < n; i++) {
		d[i] = m->sd[i] > 0 ? (z[i] - m->mean[i]) / m->sd[i] : 0;
		spread += m->sd[i] > 0;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			sum += d[i] * d[j] * precision_at(m, i, j);
	return spread ? sqrt(fmax(sum, 0) / (double)spread) : 0;
}

const struct energy_model *energy_model_for(const struct energy *e, double mhz, double volt, bool *exact)
{
	const struct energy_model *nearest = NULL, *all = NULL;

	for (size_t i = 0; i < e->n_models; i++) {
		const struct energy_model *m = &e->models[i];

		if (m->scaled)
			all = m;
		else if (!nearest || fabs(m->mhz - mhz) < fabs(nearest->mhz - mhz))
			nearest = m;
	}
	*exact = (nearest && fabs(nearest->mhz - mhz) < 0.5) || (nearest && mhz == 0 && e->n_models == 1);
	if (!*exact && all && volt > 0) {
		*exact = true;
		return all;
	}
	return nearest ? nearest : all;
}

/* The term that is farthest beyond its range of training, or SIZE_MAX. */
static size_t farthest(const struct energy_model *m, const double *z)
{
	double most = ENERGY_MARGIN;
	size_t at = SIZE_MAX;

	for (size_t i = 0; i < m->n_mean; i++) {
		double range = m->high[i] - m->low[i];
		double over = fmax(z[i] - m->high[i], m->low[i] - z[i]);

		if (over <= 0)
			continue;
		over = range > 0 ? over / range : INFINITY;
		if (over > most) {
			most = over;
			at = i;
		}
	}
	return at;
}

struct energy_estimate energy_estimate_row(const struct energy *e, const struct energy_row *row)
{
	struct energy_estimate out = {.term = SIZE_MAX};
	double z[ENERGY_MAX_TERMS], watts;
	bool exact;
	const struct energy_model *m = energy_model_for(e, row->mhz, row->volt, &exact);

	energy_design_row(m->scaled ? ENERGY_SCALED : ENERGY_PLAIN, row, energy_used(e), z);
	watts = m->constant;
	for (size_t i = 0; i < m->n_weights; i++)
		watts += m->weights[i] * z[i];
	out.watts = fmax(watts, 0);
	/* The interval is about estimate / measured. */
	out.low = out.watts / (1 + m->interval);
	out.high = m->interval < 1 ? out.watts / (1 - m->interval) : INFINITY;
	out.distance = energy_distance(m, z);
	out.term = farthest(m, z);
	out.other_frequency = !exact;
	out.untested = m->interval <= 0;
	out.extrapolated = !exact || out.untested || out.term != SIZE_MAX || out.distance > m->distance;
	return out;
}

/* The inverse of the correlations, without directions that training hardly has. */
static void set_precision(struct energy_model *m, const struct energy_normal *normal)
{
	size_t n = normal->n, k = 0;
	gsl_matrix *r = gsl_matrix_alloc(n, n), *v = gsl_matrix_alloc(n, n);
	gsl_vector *value = gsl_vector_alloc(n);
	gsl_eigen_symmv_workspace *space = gsl_eigen_symmv_alloc(n);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			bool both = normal->sd[i] > 0 && normal->sd[j] > 0;

			gsl_matrix_set(r, i, j, both ? normal->r[i][j] : i == j);
		}
	gsl_eigen_symmv(r, value, v, space);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++, k++)
			for (size_t l = 0; l < n; l++)
				m->precision[k] += gsl_matrix_get(v, i, l) * gsl_matrix_get(v, j, l) /
						   fmax(gsl_vector_get(value, l), LEAST_SPREAD);
	gsl_eigen_symmv_free(space);
	gsl_vector_free(value);
	gsl_matrix_free(v);
	gsl_matrix_free(r);
}

static double *copied(const double *x, size_t n)
{
	double *to = mem_new(n, sizeof(*to));

	for (size_t i = 0; i < n; i++)
		to[i] = x[i];
	return to;
}

void energy_region_set(struct energy_model *m, const struct energy_normal *normal, const double *low,
		       const double *high)
{
	size_t n = normal->n;

	m->n_mean = m->n_sd = m->n_low = m->n_high = n;
	m->n_precision = n * (n + 1) / 2;
	m->mean = copied(normal->mean, n);
	m->sd = copied(normal->sd, n);
	m->low = copied(low, n);
	m->high = copied(high, n);
	m->precision = mem_new(m->n_precision, sizeof(double));
	set_precision(m, normal);
}

void energy_region_release(struct energy_model *m)
{
	free(m->mean);
	free(m->sd);
	free(m->low);
	free(m->high);
	free(m->precision);
	memset(m, 0, sizeof(*m));
}
