/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/data/gram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* Below this part of its mean the spread of a column is what rounding makes. */
#define NO_SPREAD 1e-12

size_t energy_terms(enum energy_design design, size_t events)
{
	return design == ENERGY_PLAIN ? events : events + 2;
}

void energy_design_row(enum energy_design design, const struct energy_row *row, size_t events, double *z)
{
	double v2 = row->volt * row->volt;

	if (design == ENERGY_PLAIN) {
		memcpy(z, row->x, events * sizeof(*z));
		return;
	}
	for (size_t i = 0; i < events; i++)
		z[i] = row->x[i] * v2;
	z[events] = row->volt;
	z[events + 1] = v2 * row->mhz / 1000;
}

struct energy_gram energy_gram_new(size_t terms)
{
	size_t n = terms + 1;

	return (struct energy_gram){
		.n = n, .sum = mem_new(n, sizeof(double)), .product = mem_new(n * n, sizeof(double))};
}

void energy_gram_release(struct energy_gram *g)
{
	free(g->sum);
	free(g->product);
	memset(g, 0, sizeof(*g));
}

void energy_gram_add(struct energy_gram *g, const struct energy_scaling *s, const double *z, double watts,
		     double weight)
{
	double t[ENERGY_MAX_TERMS + 1];

	for (size_t i = 0; i < g->n; i++)
		t[i] = ((i + 1 < g->n ? z[i] : watts) - s->shift[i]) / s->scale[i];
	g->rows += weight;
	for (size_t i = 0; i < g->n; i++) {
		double wt = weight * t[i], *row = g->product + i * g->n;

		g->sum[i] += wt;
		for (size_t j = 0; j <= i; j++)
			row[j] += wt * t[j];
	}
}

void energy_gram_sum(struct energy_gram *to, const struct energy_gram *from, double factor)
{
	to->rows += factor * from->rows;
	for (size_t i = 0; i < to->n; i++)
		to->sum[i] += factor * from->sum[i];
	for (size_t i = 0; i < to->n * to->n; i++)
		to->product[i] += factor * from->product[i];
}

/* Mean and spread of each column, in the units of the data. */
static void set_columns(const struct energy_gram *g, const struct energy_scaling *s,
			struct energy_normal *out)
{
	for (size_t i = 0; i < g->n; i++) {
		double m = g->rows > 0 ? g->sum[i] / g->rows : 0;
		double v = g->rows > 0 ? g->product[i * g->n + i] / g->rows - m * m : 0;

		out->mean[i] = s->shift[i] + s->scale[i] * m;
		out->sd[i] = v > 0 ? s->scale[i] * sqrt(v) : 0;
		if (out->sd[i] <= NO_SPREAD * fabs(out->mean[i]))
			out->sd[i] = 0;
	}
}

void energy_gram_normal(const struct energy_gram *g, const struct energy_scaling *s,
			struct energy_normal *out)
{
	memset(out, 0, sizeof(*out));
	out->n = g->n - 1;
	out->rows = g->rows;
	set_columns(g, s, out);
	for (size_t i = 0; i < g->n; i++) {
		for (size_t j = 0; j < i; j++) {
			double c = g->product[i * g->n + j] / g->rows -
				   g->sum[i] / g->rows * (g->sum[j] / g->rows);
			double sd = out->sd[i] * out->sd[j];

			c *= s->scale[i] * s->scale[j];
			out->r[i][j] = out->r[j][i] = sd > 0 ? c / sd : 0;
		}
		out->r[i][i] = 1;
	}
}

void energy_normal_pick(const struct energy_normal *from, uint64_t use, struct energy_normal *out)
{
	size_t at[ENERGY_MAX_TERMS + 1], n = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < from->n; i++)
		if (use >> i & 1)
			at[n++] = i;
	at[n] = from->n;
	out->n = n;
	out->rows = from->rows;
	for (size_t i = 0; i <= n; i++) {
		out->mean[i] = from->mean[at[i]];
		out->sd[i] = from->sd[at[i]];
		for (size_t j = 0; j <= n; j++)
			out->r[i][j] = from->r[at[i]][at[j]];
	}
}
