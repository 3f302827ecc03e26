/* SPDX-License-Identifier: MIT */
/* All models of the search space, and how much each is believed. */
#include <errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "predictor/model/fit.h"
#include "predictor/model/space.h"

#define SECOND_PRIOR   0.3  /* of a second term */
#define NEGATIVE_PRIOR 0.3  /* of a coefficient below 0 */
#define STEP_PRIOR     0.05 /* of two regimes */
#define FORESIGHT      0.25 /* the largest size has been in the fit already: its density counts less */
#define RARE           0.1  /* two terms are tried if their priors are at least that together */
#define KEPT           1e-4 /* weight of a model, of the best one's */
#define AHEAD          1e-8 /* ... before it has foreseen anything */
#define BEAM           24   /* single terms that are tried with all others, several parameters */
#define STEP_LEAST     0.1  /* what rises by less is no regime */
#define SMALL_SIDE     2    /* sizes of a regime at least */

struct search {
	const struct growth_sizes *s;
	const double *target;
	struct space_terms terms;
	double *column;    /* s->n values of each term */
	double *at_target; /* of each term */
	double ones[GROWTH_SIZES], masked[GROWTH_SIZES];
	struct fitter all, but_last;
	struct growth_fit *out;
	double step_best, best;
};

static const double *column_of(const struct search *h, size_t t)
{
	return h->column + t * h->s->n;
}

static void search_init(struct search *h, struct growth_fit *out, const struct growth_sizes *s,
			const double *target, enum growth_space space)
{
	*h = (struct search){.s = s, .target = target, .out = out, .best = -INFINITY, .step_best = -INFINITY};
	space_fill(&h->terms, s->params, space);
	h->column = mem_new(h->terms.n * s->n, sizeof(*h->column));
	h->at_target = mem_new(h->terms.n, sizeof(*h->at_target));
	for (size_t t = 0; t < h->terms.n; t++) {
		const struct growth_term *term = &h->terms.at[t].term;

		for (size_t i = 0; i < s->n; i++)
			h->column[t * s->n + i] = growth_term_value(term, s->params, s->at[i].x);
		h->at_target[t] = growth_term_value(term, s->params, target);
	}
	for (size_t i = 0; i < s->n; i++)
		h->ones[i] = 1;
	fitter_init(&h->all, s, s->n);
	fitter_init(&h->but_last, s, s->n - 1);
}

static void search_release(struct search *h)
{
	fitter_release(&h->all);
	fitter_release(&h->but_last);
	vec_release(&h->terms);
	free(h->column);
	free(h->at_target);
}

/* Can a figure look like that: what leads at the target is above 0, and it does not fall up to there? */
static bool is_possible(const struct search *h, const struct fit_result *r, const size_t *term, size_t terms,
			bool constant)
{
	double value = constant ? r->c[terms] : 0, largest = 0, lead = 0;
	double last = constant ? r->c[terms] : 0;

	for (size_t k = 0; k < terms; k++) {
		double part = r->c[k] * h->at_target[term[k]];

		value += part;
		last += r->c[k] * column_of(h, term[k])[h->s->n - 1];
		if (fabs(part) > largest) {
			largest = fabs(part);
			lead = part;
		}
	}
	return value > 0 && lead >= 0 && (h->s->params > 1 || value >= 0.9 * last);
}

static double prior_of(const struct search *h, const struct fit_result *r, const size_t *term, size_t terms,
		       bool constant)
{
	double prior = terms == 2 ? log(SECOND_PRIOR) : 0;

	for (size_t k = 0; k < terms; k++)
		prior += h->terms.at[term[k]].prior;
	for (size_t k = 0; k < terms + constant; k++)
		prior += r->c[k] < 0 ? log(NEGATIVE_PRIOR) : 0;
	return prior;
}

/* Try one model; a weight as logarithm, -INFINITY: it is none. */
static double try_model(struct search *h, const size_t *term, size_t terms, bool constant)
{
	const double *column[FIT_MOST];
	struct growth_model m = {.terms = terms, .constant = constant, .n = terms + constant};
	struct fit_result r;

	for (size_t k = 0; k < terms; k++)
		column[k] = column_of(h, term[k]);
	column[terms] = h->ones;
	if (m.n >= h->s->n || fitter_solve(&h->all, column, m.n, &r) ||
	    !is_possible(h, &r, term, terms, constant))
		return -INFINITY;
	m.weight = fitter_evidence(&h->all, column, &r, m.n) + prior_of(h, &r, term, terms, constant);
	if (m.weight > h->best)
		h->best = m.weight;
	if (m.weight < h->best + log(AHEAD))
		return m.weight;
	for (size_t k = 0; k < terms; k++)
		m.term[k] = h->terms.at[term[k]].term;
	memcpy(m.coefficient, r.c, sizeof(r.c));
	memcpy(m.covariance, r.covariance, sizeof(r.covariance));
	m.chi2 = r.chi2;
	m.scale = fitter_scale(&h->all, r.chi2, m.n, &m.freedom);
	vec_push(&h->out->models, m);
	return m.weight;
}

/* A term whose cost rises by a factor from one size on. */
static void try_steps(struct search *h, size_t t)
{
	size_t n = h->s->n;

	for (size_t at = SMALL_SIDE; at + SMALL_SIDE <= n; at++)
		for (int constant = 0; constant < 2; constant++) {
			const double *column[] = {column_of(h, t), h->masked, h->ones};
			struct fit_result r;
			double weight;

			for (size_t i = 0; i < n; i++)
				h->masked[i] = i < at ? 0 : column_of(h, t)[i];
			if (n < 4 + (size_t)constant || fitter_solve(&h->all, column, 2 + constant, &r) ||
			    !(r.c[0] > 0) || fabs(r.c[1] / r.c[0]) < STEP_LEAST || r.c[1] <= -r.c[0])
				continue;
			weight = fitter_evidence(&h->all, column, &r, 2 + (size_t)constant) +
				 h->terms.at[t].prior + log(STEP_PRIOR);
			h->out->two_regimes += exp(weight - h->best);
			if (weight <= h->step_best)
				continue;
			h->step_best = weight;
			h->out->step = at;
		}
}

static int search_by_weight(const void *a, const void *b)
{
	double d = ((const struct growth_model *)b)->weight - ((const struct growth_model *)a)->weight;

	return (d > 0) - (d < 0);
}

/* The density with which the model of all sizes but the largest foresees that one, as logarithm. */
static double foresight(struct search *h, const struct growth_model *m)
{
	size_t n = h->s->n, last = n - 1;
	double values[FIT_MOST][GROWTH_SIZES], value = 0, variance = 0, scale, freedom, off;
	const double *column[FIT_MOST];
	struct fit_result r;

	if (m->n >= last)
		return 0;
	for (size_t k = 0; k < m->n; k++) {
		for (size_t i = 0; i < n; i++)
			values[k][i] = k < m->terms
					       ? growth_term_value(&m->term[k], h->s->params, h->s->at[i].x)
					       : 1;
		column[k] = values[k];
	}
	if (fitter_solve(&h->but_last, column, m->n, &r))
		return -20;
	for (size_t k = 0; k < m->n; k++) {
		value += r.c[k] * values[k][last];
		for (size_t l = 0; l < m->n; l++)
			variance += values[k][last] * values[l][last] * r.covariance[k][l];
	}
	if (!(value > 0))
		return -20;
	scale = fitter_scale(&h->but_last, r.chi2, m->n, &freedom);
	variance = scale * (variance / (value * value) + h->all.sd[last] * h->all.sd[last]);
	off = log(h->s->at[last].y / value) / sqrt(variance);
	return fmax(log(gsl_ran_tdist_pdf(off, freedom)) - log(variance) / 2, -20);
}

static void search_weigh(struct search *h)
{
	struct growth_fit *out = h->out;
	double first, sum = 0;
	size_t kept = 0;

	for (size_t i = 0; i < out->models.n; i++)
		if (out->models.at[i].weight >= h->best + log(AHEAD))
			out->models.at[kept++] = out->models.at[i];
	out->models.n = kept;
	for (size_t i = 0; i < kept; i++)
		out->models.at[i].weight += FORESIGHT * foresight(h, &out->models.at[i]);
	qsort(out->models.at, kept, sizeof(*out->models.at), search_by_weight);
	first = out->models.at[0].weight;
	for (kept = 0; kept < out->models.n; kept++) {
		struct growth_model *m = &out->models.at[kept];

		if (m->weight < first + log(KEPT))
			break;
		m->weight = exp(m->weight - first);
		sum += m->weight;
	}
	out->models.n = kept;
	for (size_t i = 0; i < kept; i++)
		out->models.at[i].weight /= sum;
}

/* The single terms that explain most, the best first; at most BEAM. */
static size_t search_beam(const struct search *h, const double *single, size_t *beam)
{
	size_t n = 0;

	for (size_t t = 0; t < h->terms.n; t++) {
		size_t at;

		if (isinf(single[t]))
			continue;
		for (at = n; at && single[beam[at - 1]] < single[t]; at--)
			if (at < BEAM)
				beam[at] = beam[at - 1];
		if (at < BEAM)
			beam[at] = t;
		n += n < BEAM;
	}
	return n;
}

static void try_pair(struct search *h, size_t a, size_t b)
{
	if (h->terms.at[a].prior + h->terms.at[b].prior < log(RARE))
		return;
	for (int constant = 0; constant < 2; constant++)
		try_model(h, (size_t[]){a, b}, 2, constant);
}

static void search_pairs(struct search *h, const double *single)
{
	size_t beam[BEAM], n = search_beam(h, single, beam);

	if (h->s->params == 1) {
		for (size_t a = 0; a < h->terms.n; a++)
			for (size_t b = a + 1; b < h->terms.n; b++)
				try_pair(h, a, b);
		return;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t b = 0; b < h->terms.n; b++)
			if (b != beam[i])
				try_pair(h, beam[i], b);
}

/* A model that does not grow: all that the search may find of a figure that is constant. */
static void try_all(struct search *h, enum growth_space space)
{
	double *single = mem_new(h->terms.n, sizeof(*single));

	try_model(h, NULL, 0, true);
	for (size_t t = 0; t < h->terms.n; t++)
		single[t] = fmax(try_model(h, &t, 1, false), try_model(h, &t, 1, true));
	if (space == GROWTH_ANY)
		search_pairs(h, single);
	for (size_t t = 0; t < h->terms.n && h->best > -INFINITY; t++)
		try_steps(h, t);
	free(single);
}

int growth_fit(struct growth_fit *f, const struct growth_sizes *s, const double *target,
	       enum growth_space space, struct err *err)
{
	size_t least = s->params > 1 ? 2 * s->params + 2 : GROWTH_LEAST;
	struct search h;
	double plain = 0;

	*f = (struct growth_fit){.params = s->params};
	if (s->n < least)
		return err_set(err, -ENODATA, "%zu different sizes were run, at least %zu are needed", s->n,
			       least);
	search_init(&h, f, s, target, space);
	try_all(&h, space);
	for (size_t i = 0; i < f->models.n; i++)
		plain += exp(f->models.at[i].weight - h.best);
	f->two_regimes /= f->two_regimes + plain;
	if (f->models.n)
		search_weigh(&h);
	f->variance = s->at[s->n - 1].variance;
	search_release(&h);
	if (!f->models.n)
		return err_set(err, -EDOM, "no model of the search space has these figures");
	return 0;
}

void growth_fit_release(struct growth_fit *f)
{
	vec_release(&f->models);
}
