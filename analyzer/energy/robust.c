/* SPDX-License-Identifier: MIT */
/*
 * What gsl_multifit_robust() does with the bisquare (Street, Carroll and Ruppert, 1988;
 * DuMouchel and O'Brien, 1989), but by sums of products of shifted columns: it is run
 * again for each program left out.
 */
#include "analyzer/energy/robust.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TUNE    4.685
#define NORMAL  0.6745 /* median of the absolute values of a normal distribution */
#define MOST_H  0.9999
#define ROUNDS  1000
#define SETTLED 1e-9  /* of the spread of the power */
#define DEPENDS 1e-11 /* of a column's spread is left: it is a sum of others */

struct robust {
	const double *z;
	size_t n, terms;
	uint64_t use;
	struct energy_scaling scaling;
	double *residual, *factor, *weight, *sorted; /* by row */
	struct energy_weights w;
};

static const double *robust_row(const struct robust *b, size_t i)
{
	return b->z + i * (b->terms + 1);
}

/* Least squares with the weights as they are; the normal form of the rows into @normal. */
static int solve(struct robust *b, struct energy_normal *normal, struct err *err)
{
	struct energy_gram g = energy_gram_new(b->terms);

	for (size_t i = 0; i < b->n; i++)
		energy_gram_add(&g, &b->scaling, robust_row(b, i), robust_row(b, i)[b->terms], b->weight[i]);
	energy_gram_normal(&g, &b->scaling, normal);
	energy_gram_release(&g);
	return energy_fit(normal, ENERGY_OLS, b->use, &b->w, err);
}

/* The correlations of the terms @at as L L', 0 on the diagonal where a column depends on those before. */
static void factorise(const struct energy_normal *m, const size_t *at, size_t n,
		      double l[ENERGY_MAX_TERMS][ENERGY_MAX_TERMS])
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++) {
			double v = m->r[at[i]][at[j]];

			for (size_t k = 0; k < j; k++)
				v -= l[i][k] * l[j][k];
			if (i == j)
				l[i][i] = v > DEPENDS ? sqrt(v) : 0;
			else
				l[i][j] = l[j][j] > 0 ? v / l[j][j] : 0;
		}
}

/* A row that draws the plane to itself has a small residual: by what it is to be multiplied. */
static void set_factors(struct robust *b, const struct energy_normal *m)
{
	double l[ENERGY_MAX_TERMS][ENERGY_MAX_TERMS], u[ENERGY_MAX_TERMS];
	size_t at[ENERGY_MAX_TERMS], n = 0;

	for (size_t i = 0; i < b->terms; i++)
		if (b->use >> i & 1 && m->sd[i] > 0)
			at[n++] = i;
	factorise(m, at, n, l);
	for (size_t r = 0; r < b->n; r++) {
		double h = 1;

		for (size_t i = 0; i < n; i++) {
			u[i] = (robust_row(b, r)[at[i]] - m->mean[at[i]]) / m->sd[at[i]];
			for (size_t k = 0; k < i; k++)
				u[i] -= l[i][k] * u[k];
			u[i] = l[i][i] > 0 ? u[i] / l[i][i] : 0;
			h += u[i] * u[i];
		}
		b->factor[r] = 1 / sqrt(1 - fmin(h / (double)b->n, MOST_H));
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Deviation of the residuals by their median, without as many of the smallest as there are terms. */
static double deviation(struct robust *b, size_t terms)
{
	double *from = b->sorted + terms;
	size_t n = b->n - terms;

	for (size_t i = 0; i < b->n; i++)
		b->sorted[i] = fabs(b->residual[i]);
	qsort(b->sorted, b->n, sizeof(*b->sorted), by_size);
	return (n % 2 ? from[n / 2] : (from[n / 2 - 1] + from[n / 2]) / 2) / NORMAL;
}

static double set_residuals(struct robust *b)
{
	double sum = 0;

	for (size_t i = 0; i < b->n; i++) {
		double off = robust_row(b, i)[b->terms] - energy_estimate(&b->w, robust_row(b, i));

		sum += off * off;
		b->residual[i] = off * b->factor[i];
	}
	return sum;
}

static void set_weights(struct robust *b, double scale)
{
	for (size_t i = 0; i < b->n; i++) {
		double u = b->residual[i] / scale, v = fabs(u) < 1 ? 1 - u * u : 0;

		b->weight[i] = v * v;
	}
}

/* No term, at its spread, changed by what anybody would notice. */
static bool has_settled(const struct robust *b, const struct energy_weights *before)
{
	double most = SETTLED * b->scaling.scale[b->terms];

	for (size_t i = 0; i < b->terms; i++)
		if (fabs(b->w.w[i] - before->w[i]) * b->scaling.scale[i] > most)
			return false;
	return true;
}

static int iterate(struct robust *b, const struct energy_normal *all, struct err *err)
{
	struct energy_normal *normal = mem_new(1, sizeof(*normal));
	double least = 1e-6 * (all->sd[b->terms] > 0 ? all->sd[b->terms] : 1);
	bool settled = false;
	size_t terms = 0;
	int ret = 0;

	for (size_t i = 0; i < b->terms; i++)
		terms += (b->use >> i & 1) && all->sd[i] > 0;
	set_factors(b, all);
	for (int round = 0; round < ROUNDS && !ret && !settled; round++) {
		struct energy_weights before = b->w;

		set_residuals(b);
		set_weights(b, TUNE * fmax(deviation(b, terms), least));
		ret = solve(b, normal, err);
		settled = !ret && has_settled(b, &before);
	}
	free(normal);
	if (!ret && !settled)
		return err_set(err, -EDOM,
			       "robust least squares do not settle in %d rounds\n  --model=nnls fits it",
			       ROUNDS);
	return ret;
}

/* Columns of mean 0 and about 1 in size. */
static void set_scaling(struct robust *b)
{
	struct energy_scaling *s = &b->scaling;

	s->n = b->terms;
	for (size_t k = 0; k <= b->terms; k++) {
		double mean = 0, square = 0;

		for (size_t i = 0; i < b->n; i++)
			mean += robust_row(b, i)[k] / (double)b->n;
		for (size_t i = 0; i < b->n; i++)
			square += (robust_row(b, i)[k] - mean) * (robust_row(b, i)[k] - mean);
		s->shift[k] = mean;
		s->scale[k] = square > 0 ? sqrt(square / (double)b->n) : 1;
	}
}

int energy_robust(const double *z, size_t n, size_t terms, uint64_t use, struct energy_weights *out,
		  struct err *err)
{
	struct robust b = {.z = z, .n = n, .terms = terms, .use = use};
	struct energy_normal *all = mem_new(1, sizeof(*all));
	double *room = mem_new(4 * n + 4, sizeof(*room));
	int ret;

	b.residual = room;
	b.factor = room + n;
	b.weight = room + 2 * n;
	b.sorted = room + 3 * n;
	for (size_t i = 0; i < n; i++)
		b.weight[i] = 1;
	set_scaling(&b);
	ret = solve(&b, all, err);
	if (!ret)
		ret = iterate(&b, all, err);
	for (size_t i = 0; i < n; i++)
		b.factor[i] = 1;
	b.w.rss = ret ? 0 : set_residuals(&b);
	*out = b.w;
	free(room);
	free(all);
	return ret;
}

/* ---- rows of a table ---- */

int energy_kept_read(struct energy_kept *k, struct energy_table *t, const struct energy_cells *c,
		     struct err *err)
{
	size_t width = c->events + 3, most = ENERGY_KEPT_BYTES / (width * sizeof(double) + sizeof(uint32_t));
	struct energy_row row;
	int ret = energy_table_rewind(t, err);

	*k = (struct energy_kept){.events = c->events};
	if (!ret && c->rows > most)
		ret = err_set(
			err, -E2BIG,
			"'%s' has %llu rows, and robust least squares keep all: at most %zu rows of %zu "
			"events\n  --model=nnls keeps none; or take every n-th row",
			t->path, (unsigned long long)c->rows, most, c->events);
	if (ret)
		return ret;
	k->value = mem_new(c->rows * width, sizeof(*k->value));
	k->cell = mem_new(c->rows, sizeof(*k->cell));
	while (!ret && (ret = energy_table_next(t, &row, err)) > 0) {
		double *to = k->value + k->n * width;
		size_t cell = energy_cells_find(c, &row);

		ret = 0;
		if (cell == c->cell.n || k->n == c->rows) {
			ret = err_set(err, -EINVAL, "'%s' changes while it is read", t->path);
			break;
		}
		memcpy(to, row.x, c->events * sizeof(*to));
		to[c->events] = row.watts;
		to[c->events + 1] = row.volt;
		to[c->events + 2] = row.mhz;
		k->cell[k->n++] = (uint32_t)cell;
	}
	if (ret)
		energy_kept_release(k);
	return ret;
}

void energy_kept_release(struct energy_kept *k)
{
	free(k->value);
	free(k->cell);
	memset(k, 0, sizeof(*k));
}

int energy_kept_fit(const struct energy_kept *k, const struct energy_cells *c,
		    const struct energy_slice *slice, const struct energy_groups *g, uint32_t without,
		    uint64_t use, struct energy_weights *out, struct err *err)
{
	size_t terms = energy_terms(slice->design, k->events), width = k->events + 3, n = 0;
	double *z = mem_new(k->n * (terms + 1) + 1, sizeof(*z));
	int ret;

	for (size_t i = 0; i < k->n; i++) {
		const struct energy_cell *cell = &c->cell.at[k->cell[i]];
		const double *from = k->value + i * width;
		struct energy_row row;

		if (cell->aside || (g && g->of[k->cell[i]] == without) ||
		    (slice->design == ENERGY_PLAIN && cell->mhz != slice->mhz))
			continue;
		memcpy(row.x, from, k->events * sizeof(*from));
		row.volt = from[k->events + 1];
		row.mhz = from[k->events + 2];
		energy_design_row(slice->design, &row, k->events, z + n * (terms + 1));
		z[n++ * (terms + 1) + terms] = from[k->events];
	}
	ret = energy_robust(z, n, terms, use, out, err);
	free(z);
	return ret;
}
