/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/nnls.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define N (ENERGY_MAX_TERMS + 1) /* terms and the constant */

/* The problem: columns of length 1, so that what is nearly 0 is so by one measure. */
struct problem {
	size_t n;
	double a[N][N]; /* A'A */
	double b[N];    /* A'y */
	double yy;
	double length[N]; /* of the columns before */
	double x[N];
	bool passive[N]; /* may be above 0 */
};

/* Mean over the rows of the product of columns @i and @j. */
static double product(const struct energy_normal *m, size_t i, size_t j)
{
	return m->mean[i] * m->mean[j] + m->r[i][j] * m->sd[i] * m->sd[j];
}

static void set_problem(struct problem *p, const struct energy_normal *m, const size_t *at, size_t n)
{
	memset(p, 0, sizeof(*p));
	p->n = n + 1;
	p->yy = product(m, m->n, m->n);
	p->length[n] = 1;
	for (size_t i = 0; i < n; i++)
		p->length[i] = sqrt(product(m, at[i], at[i]));
	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= i; j++) {
			double v = i < n ? product(m, at[i], at[j]) : j < n ? m->mean[at[j]] : 1;

			p->a[i][j] = p->a[j][i] = v / (p->length[i] * p->length[j]);
		}
		p->b[i] = (i < n ? product(m, at[i], m->n) : m->mean[m->n]) / p->length[i];
	}
}

/* Solve the passive columns alone by Cholesky: false where they depend on one another. */
static bool solve_passive(const struct problem *p, double *s)
{
	double l[N][N], z[N];
	size_t at[N], n = 0;

	for (size_t i = 0; i < p->n; i++) {
		s[i] = 0;
		if (p->passive[i])
			at[n++] = i;
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j <= i; j++) {
			double v = p->a[at[i]][at[j]];

			for (size_t k = 0; k < j; k++)
				v -= l[i][k] * l[j][k];
			if (i == j && v < 1e-12)
				return false;
			l[i][j] = i == j ? sqrt(v) : v / l[j][j];
		}
		z[i] = p->b[at[i]];
		for (size_t k = 0; k < i; k++)
			z[i] -= l[i][k] * z[k];
		z[i] /= l[i][i];
	}
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			z[i] -= l[k][i] * z[k];
		z[i] /= l[i][i];
		s[at[i]] = z[i];
	}
	return true;
}

/* How much a little of column @i would gain. */
static double gradient(const struct problem *p, size_t i)
{
	double g = p->b[i];

	for (size_t j = 0; j < p->n; j++)
		g -= p->a[i][j] * p->x[j];
	return g;
}

/* The column outside that gains most, or n. */
static size_t next_column(const struct problem *p, const bool *refused)
{
	size_t best = p->n;
	double most = 1e-10 * sqrt(p->yy);

	for (size_t i = 0; i < p->n; i++) {
		double g = p->passive[i] || refused[i] ? 0 : gradient(p, i);

		if (g > most) {
			most = g;
			best = i;
		}
	}
	return best;
}

/* Go from x towards @s as far as nothing is below 0; true if all of the way. */
static bool step(struct problem *p, const double *s)
{
	double part = 1;

	for (size_t i = 0; i < p->n; i++)
		if (p->passive[i] && s[i] <= 0)
			part = fmin(part, p->x[i] / (p->x[i] - s[i]));
	for (size_t i = 0; i < p->n; i++) {
		if (!p->passive[i])
			continue;
		p->x[i] += part * (s[i] - p->x[i]);
		if (part < 1 && s[i] <= 0 && p->x[i] <= 1e-14) {
			p->x[i] = 0;
			p->passive[i] = false;
		}
	}
	return part >= 1;
}

static int iterate(struct problem *p, struct err *err)
{
	bool refused[N] = {false};
	double s[N];

	for (size_t turn = 0; turn < 30 * p->n; turn++) {
		size_t i = next_column(p, refused);

		if (i == p->n)
			return 0;
		p->passive[i] = true;
		/* A column that depends on others, or that rounding alone wants, is left out until something changes. */
		if (!solve_passive(p, s) || s[i] <= 0) {
			p->passive[i] = false;
			refused[i] = true;
			continue;
		}
		memset(refused, 0, sizeof(refused));
		while (!step(p, s))
			if (!solve_passive(p, s))
				return err_set(err, -EDOM,
					       "weights: the events depend on one another too closely");
	}
	return err_set(err, -EDOM, "weights: no solution after %zu turns", 30 * p->n);
}

int energy_nnls(const struct energy_normal *normal, const size_t *at, size_t n, struct energy_weights *out,
		struct err *err)
{
	struct problem p;
	double rss;
	int ret;

	set_problem(&p, normal, at, n);
	ret = iterate(&p, err);
	if (ret)
		return ret;
	rss = p.yy;
	for (size_t i = 0; i < p.n; i++) {
		double x = p.x[i] / p.length[i];

		rss -= p.x[i] * (2 * p.b[i]);
		for (size_t j = 0; j < p.n; j++)
			rss += p.x[i] * p.a[i][j] * p.x[j];
		if (i < n)
			out->w[at[i]] = x;
		else
			out->constant = x;
	}
	out->rss = fmax(rss, 0) * normal->rows;
	return 0;
}
