/* SPDX-License-Identifier: MIT */
/* All models of the search space, and how much each is believed. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "predictor/model/fit.h"
#include "predictor/model/space.h"

#define SECOND_PRIOR   0.3  /* of a second term */
#define NEGATIVE_PRIOR 0.3  /* of a coefficient below 0 */
#define STEP_PRIOR     0.05 /* of two regimes */
#define BEND           0.2  /* by which a growth's exponent changes behind the probes (Laplace) */
#define SMALLEST       1e-5 /* second term of a figure at the largest size ... */
#define SPARE          2    /* sizes more than coefficients: else curves follow by chance ... */
#define FINE           2e-4 /* ... that levels of less scatter show */
#define RARE           0.1  /* two terms are tried if their priors are at least that together */
#define KEPT           1e-4 /* weight of a model, of the best one's */
#define TURN           0.1  /* of an exponent behind the probes ... */
#define TURN_OF_TIME   0.05 /* ... and of time by count: what one takes changes by caches alone */
#define AHEAD          1e-6 /* ... while others are to come */
#define MOST_KEPT      500
#define BEAM           24  /* single terms that are tried with all others, several parameters */
#define STEP_LEAST     0.1 /* what rises by less is no regime */
#define SMALL_SIDE     2   /* sizes of a regime at least */

/* Equally likely by the logarithm: nobody knows beforehand how much of a task its data are. */
static const double scatters[] = {0.0003, 0.002, 0.01, 0.03, 0.1, 0.3, 0.00003, 0.000003};
static const struct {
	double drift, prior;
} drifts[] = {{0, 0.6}, {0.01, 0.2}, {0.04, 0.15}, {0.15, 0.05}};

#define SCATTERS (sizeof(scatters) / sizeof(scatters[0]))
#define EXACT    2 /* of these, the last ones: only of figures that may be exact, else the noise hides them */
#define DRIFTS   (sizeof(drifts) / sizeof(drifts[0]))

struct search {
	const struct growth_sizes *s;
	const double *target;
	enum growth_space space;
	struct space_terms terms;
	double *column;    /* s->n values of each term */
	double *at_target; /* of each term */
	double *single;    /* weight of each term by itself */
	struct growth_fit *out;
	double step_best, best;
	/* At one level: */
	struct fit_level level;
	struct fitter fitter;
	double *white; /* column */
	double ones[GROWTH_SIZES];
};

static const double *column_of(const struct search *h, size_t t)
{
	return h->column + t * h->s->n;
}

static const double *white_of(const struct search *h, size_t t)
{
	return h->white + t * h->s->n;
}

static void search_init(struct search *h, struct growth_fit *out, const struct growth_sizes *s,
			const double *target, enum growth_space space)
{
	*h = (struct search){.s = s,
			     .target = target,
			     .space = space,
			     .out = out,
			     .best = -INFINITY,
			     .step_best = -INFINITY};
	space_fill(&h->terms, s->params, space);
	h->column = mem_new(h->terms.n * s->n, sizeof(*h->column));
	h->white = mem_new(h->terms.n * s->n, sizeof(*h->white));
	h->at_target = mem_new(h->terms.n, sizeof(*h->at_target));
	h->single = mem_new(h->terms.n, sizeof(*h->single));
	for (size_t t = 0; t < h->terms.n; t++) {
		const struct growth_term *term = &h->terms.at[t].term;

		for (size_t i = 0; i < s->n; i++)
			h->column[t * s->n + i] = growth_term_value(term, s->params, s->at[i].x);
		h->at_target[t] = growth_term_value(term, s->params, target);
	}
}

/* Level @which of SCATTERS x DRIFTS; false: nothing can come of it. */
static bool search_level(struct search *h, size_t which)
{
	size_t drift = which / SCATTERS, scatter = which % SCATTERS;
	double ones[GROWTH_SIZES];

	if (scatter >= SCATTERS - EXACT && !growth_may_be_exact(h->s))
		return false;
	/* With several parameters the figure alone does not say how far two sizes are apart. */
	if (h->s->params > 1 && drift)
		return false;
	h->level = (struct fit_level){scatters[scatter], drifts[drift].drift,
				      log(drifts[drift].prior / (double)SCATTERS)};
	fitter_init(&h->fitter, h->s, &h->level);
	if (h->level.prior - h->fitter.ln_det < h->best + log(AHEAD))
		return false;
	for (size_t i = 0; i < h->s->n; i++)
		ones[i] = 1;
	fitter_whiten(&h->fitter, ones, h->ones);
	for (size_t t = 0; t < h->terms.n; t++)
		fitter_whiten(&h->fitter, column_of(h, t), h->white + t * h->s->n);
	return true;
}

static void search_release(struct search *h)
{
	vec_release(&h->terms);
	free(h->column);
	free(h->white);
	free(h->at_target);
	free(h->single);
}

/* Can a figure look like that: what leads at the target is above 0, and it does not fall up to there? */
static bool is_possible(const struct search *h, const struct fit_result *r, const size_t *term, size_t terms,
			bool constant)
{
	double value = constant ? r->c[terms] : 0, largest = 0, lead = 0;
	double last = constant ? r->c[terms] : 0;
	bool beyond;

	for (size_t k = 0; k < terms; k++) {
		double part = r->c[k] * h->at_target[term[k]];

		value += part;
		last += r->c[k] * column_of(h, term[k])[h->s->n - 1];
		if (fabs(part) > largest) {
			largest = fabs(part);
			lead = part;
		}
	}
	beyond = h->s->params == 1 && h->target[0] > h->s->at[h->s->n - 1].x[0];
	return value > 0 && lead >= 0 && (!beyond || value >= 0.9 * last);
}

/* What the model says at row @i, or at the target. */
static double value_at(const struct search *h, const struct fit_result *r, const size_t *term, size_t terms,
		       bool constant, size_t i)
{
	double value = constant ? r->c[terms] : 0;

	for (size_t k = 0; k < terms; k++)
		value += r->c[k] * (i < h->s->n ? column_of(h, term[k])[i] : h->at_target[term[k]]);
	return value;
}

/*
 * By how much the exponent between the probes and the target differs from that of their upper half.  Of what is
 * beside a constant above 0: where a start-up cost ends to matter nothing bends.
 */
static double bend_of(const struct search *h, const struct fit_result *r, const size_t *term, size_t terms,
		      bool constant)
{
	size_t last = h->s->n - 1, middle = h->s->n / 2;
	double x = h->s->at[last].x[0], before = log(x / h->s->at[middle].x[0]),
	       beyond = log(h->target[0] / x);
	double start = constant && terms ? fmax(r->c[terms], 0) : 0;
	double a = value_at(h, r, term, terms, constant, middle) - start,
	       b = value_at(h, r, term, terms, constant, last) - start,
	       c = value_at(h, r, term, terms, constant, h->s->n) - start;

	if (h->s->params > 1 || !(before > 0.1) || !(beyond > 0.1) || !(a > 0) || !(b > 0))
		return 0;
	return fabs(log(c / b) / beyond - log(b / a) / before);
}

/*
 * The evidence has each term as large as the figure, beforehand.  Counts show much smaller ones, which at the finest
 * levels are as likely by their logarithm: what that adds for the smaller of two, a logarithm.
 */
static double small_term(const struct search *h, const struct fit_result *r, const size_t *term)
{
	double part = INFINITY, y = h->s->at[h->s->n - 1].y;

	for (size_t k = 0; k < 2; k++)
		part = fmin(part, fabs(r->c[k] * column_of(h, term[k])[h->s->n - 1]) / y);
	return fmax(-log(fmax(part, h->level.scatter) * log(1 / SMALLEST)), 0);
}

static double prior_of(const struct search *h, const struct fit_result *r, const size_t *term, size_t terms,
		       bool constant)
{
	double prior = h->level.prior + (terms == 2 ? log(SECOND_PRIOR) : 0);

	/* What counts take beside what is touched for the first time is no rare pair. */
	for (size_t k = 0; k < terms && !(h->space == GROWTH_LINEAR && terms == 2); k++)
		prior += h->terms.at[term[k]].prior;
	for (size_t k = 0; k < terms + constant; k++)
		prior += r->c[k] < 0 ? log(NEGATIVE_PRIOR) : 0;
	if (terms == 2 && h->level.scatter < FINE && h->s->n >= terms + constant + SPARE)
		prior += small_term(h, r, term);
	return prior - bend_of(h, r, term, terms, constant) / BEND;
}

/* Try one model; a weight as logarithm, -INFINITY: it is none. */
static double try_model(struct search *h, const size_t *term, size_t terms, bool constant)
{
	const double *white[FIT_MOST];
	double last[FIT_MOST];
	struct growth_model m = {.terms = terms,
				 .constant = constant,
				 .n = terms + constant,
				 .scatter = h->level.scatter,
				 .drift = h->level.drift};
	struct fit_result r;

	for (size_t k = 0; k < terms; k++) {
		white[k] = white_of(h, term[k]);
		last[k] = column_of(h, term[k])[h->s->n - 1];
	}
	white[terms] = h->ones;
	last[terms] = 1;
	if (m.n >= h->s->n || fitter_solve(&h->fitter, white, m.n, &r) ||
	    !is_possible(h, &r, term, terms, constant))
		return -INFINITY;
	m.weight = fitter_evidence(&h->fitter, last, &r, m.n) + prior_of(h, &r, term, terms, constant);
	if (m.weight > h->best)
		h->best = m.weight;
	if (m.weight < h->best + log(AHEAD))
		return m.weight;
	for (size_t k = 0; k < terms; k++)
		m.term[k] = h->terms.at[term[k]].term;
	memcpy(m.coefficient, r.c, sizeof(r.c));
	memcpy(m.covariance, r.covariance, sizeof(r.covariance));
	vec_push(&h->out->models, m);
	return m.weight;
}

/* Term @t costs so much more from size @at on. */
static void try_step(struct search *h, size_t t, size_t at, bool constant)
{
	double masked[GROWTH_SIZES], white[GROWTH_SIZES], weight;
	double end = column_of(h, t)[h->s->n - 1];
	struct fit_result r;

	for (size_t i = 0; i < h->s->n; i++)
		masked[i] = i < at ? 0 : column_of(h, t)[i];
	fitter_whiten(&h->fitter, masked, white);
	if (h->s->n < 4 + (size_t)constant ||
	    fitter_solve(&h->fitter, (const double *[]){white_of(h, t), white, h->ones}, 2 + constant, &r) ||
	    !(r.c[0] > 0) || fabs(r.c[1] / r.c[0]) < STEP_LEAST || r.c[1] <= -r.c[0])
		return;
	weight = fitter_evidence(&h->fitter, (double[]){end, end, 1}, &r, 2 + (size_t)constant) +
		 h->level.prior + h->terms.at[t].prior + log(STEP_PRIOR);
	h->out->two_regimes += exp(weight - h->best);
	if (weight <= h->step_best)
		return;
	h->step_best = weight;
	h->out->step = at;
}

static int search_by_weight(const void *a, const void *b)
{
	double d = ((const struct growth_model *)b)->weight - ((const struct growth_model *)a)->weight;

	return (d > 0) - (d < 0);
}

static void search_weigh(struct search *h)
{
	struct growth_fit *out = h->out;
	double first, sum = 0;
	size_t kept = 0;

	for (size_t i = 0; i < out->models.n; i++)
		if (out->models.at[i].weight >= h->best + log(KEPT))
			out->models.at[kept++] = out->models.at[i];
	out->models.n = kept;
	qsort(out->models.at, kept, sizeof(*out->models.at), search_by_weight);
	first = out->models.at[0].weight;
	for (kept = 0; kept < out->models.n && kept < MOST_KEPT; kept++) {
		struct growth_model *m = &out->models.at[kept];

		m->weight = exp(m->weight - first);
		sum += m->weight;
	}
	out->models.n = kept;
	for (size_t i = 0; i < kept; i++)
		out->models.at[i].weight /= sum;
}

/* The single terms that explain most, the best first; at most BEAM. */
static size_t search_beam(const struct search *h, size_t *beam)
{
	size_t n = 0;

	for (size_t t = 0; t < h->terms.n; t++) {
		size_t at;

		if (isinf(h->single[t]))
			continue;
		for (at = n; at && h->single[beam[at - 1]] < h->single[t]; at--)
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
	if (h->space == GROWTH_LINEAR ? h->terms.at[a].term.a[0] > 1 || h->terms.at[b].term.a[0] > 1
				      : h->terms.at[a].prior + h->terms.at[b].prior < log(RARE))
		return;
	for (int constant = 0; constant < 2; constant++)
		try_model(h, (size_t[]){a, b}, 2, constant);
}

static void search_pairs(struct search *h)
{
	size_t beam[BEAM], n = search_beam(h, beam);

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

/*
 * All models at one level; one that does not grow is all that the search may find of a constant figure.  That many
 * counts take no longer than few is never believed: probes that took their start alone have not seen what one takes.
 */
static void try_models(struct search *h)
{
	if (h->space != GROWTH_LINEAR)
		try_model(h, NULL, 0, true);
	for (size_t t = 0; t < h->terms.n; t++)
		h->single[t] = fmax(try_model(h, &t, 1, false), try_model(h, &t, 1, true));
	search_pairs(h);
}

static void try_steps(struct search *h)
{
	for (size_t t = 0; t < h->terms.n; t++)
		for (size_t at = SMALL_SIDE; at + SMALL_SIDE <= h->s->n; at++)
			for (int constant = 0; constant < 2; constant++)
				try_step(h, t, at, constant);
}

static void try_all(struct search *h)
{
	for (size_t l = 0; l < SCATTERS * DRIFTS; l++)
		if (search_level(h, l))
			try_models(h);
	for (size_t l = 0; l < SCATTERS * DRIFTS && h->best > -INFINITY; l++)
		if (search_level(h, l))
			try_steps(h);
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
	try_all(&h);
	for (size_t i = 0; i < f->models.n; i++)
		plain += exp(f->models.at[i].weight - h.best);
	f->two_regimes /= f->two_regimes + plain;
	if (f->models.n)
		search_weigh(&h);
	f->noise = s->noise * s->noise;
	f->last = log(s->at[s->n - 1].y);
	f->turn = space == GROWTH_LINEAR ? TURN_OF_TIME : TURN;
	search_release(&h);
	if (!f->models.n)
		return err_set(err, -EDOM, "no model of the search space has these figures");
	return 0;
}

void growth_fit_release(struct growth_fit *f)
{
	vec_release(&f->models);
}
