/* SPDX-License-Identifier: MIT */
#include "tuner/search/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/stats.h"
#include "tuner/search/gauss.h"

#define ROOM   8 /* settings that may be supposed */
#define SWEEPS 3
#define SHARP  10   /* of neighbours for failures */
#define PRIOR  0.05 /* weight of the hope that what is unknown runs */

struct model {
	const struct trials *t;
	size_t dims, n, room;
	size_t *index;     /* of a point in t->settings; SIZE_MAX: supposed */
	struct setting *x; /* of a point */
	double *y, *noise; /* bent mean, variance of it */
	double *chol;      /* lower triangle, room x room */
	double *alpha;     /* K^-1 (y - constant) */
	double *theta;     /* lengths, signal, rest */
	double constant;
	bool failures; /* there were some */
};

static double correlation(const struct model *m, const struct setting *a, const struct setting *b)
{
	double r2 = 0;

	for (size_t j = 0; j < m->dims; j++)
		r2 += space_apart(m->t->space, a, b, j) * exp(-2 * m->theta[j]);
	return gauss_matern(r2);
}

static double signal2(const struct model *m)
{
	return exp(2 * m->theta[m->dims]);
}

static double rest2(const struct model *m)
{
	return exp(2 * m->theta[m->dims + 1]);
}

struct order {
	double mean;
	size_t i;
};

static int order_by_mean(const void *a, const void *b)
{
	const struct order *p = a, *q = b;

	return p->mean != q->mean ? (p->mean > q->mean) - (p->mean < q->mean) : (p->i > q->i) - (p->i < q->i);
}

/* Which settings take part: all, or the better half of what may and every so many of the others. */
static size_t model_choose(const struct trials *t, struct order *o)
{
	size_t n = 0, half = MODEL_MOST / 2, kept;

	double worst = -HUGE_VAL;

	for (size_t i = 0; i < t->settings.n; i++)
		if (t->settings.at[i].n && t->settings.at[i].mean > worst)
			worst = t->settings.at[i].mean;
	/* What fails stands for as bad as the worst: it keeps the neighbourhood from looking good. */
	for (size_t i = 0; i < t->settings.n; i++)
		o[n++] = (struct order){
			trials_failed(t, i) || !t->settings.at[i].n ? worst : t->settings.at[i].mean, i};
	qsort(o, n, sizeof(*o), order_by_mean);
	if (n <= MODEL_MOST)
		return n;
	kept = half;
	for (size_t k = 0; k < half; k++)
		o[kept++] = o[half + k * (n - half) / half];
	return kept;
}

/* What is bad is bad: above the median only the logarithm of the excess counts. */
static double bent(double y, double median, double least)
{
	double unit = median - least;

	if (y <= median || unit <= 0)
		return y;
	return median + unit * log1p((y - median) / unit);
}

static void take_points(struct model *m)
{
	const struct trials *t = m->t;
	struct order *o = mem_new(t->settings.n + 1, sizeof(*o));
	double median, sigma = t->sigma > 0 ? t->sigma : 0.02;

	m->n = model_choose(t, o);
	m->room = m->n + ROOM;
	m->index = mem_new(m->room, sizeof(*m->index));
	m->x = mem_new(m->room, sizeof(*m->x));
	m->y = mem_new(m->room, sizeof(*m->y));
	m->noise = mem_new(m->room, sizeof(*m->noise));
	m->chol = mem_new(m->room * m->room, sizeof(*m->chol));
	m->alpha = mem_new(m->room, sizeof(*m->alpha));
	median = o[m->n / 2].mean;
	for (size_t k = 0; k < m->n; k++) {
		m->index[k] = o[k].i;
		m->x[k] = t->settings.at[o[k].i].x;
		m->y[k] = bent(o[k].mean, median, o[0].mean);
		m->noise[k] = sigma * sigma / (t->settings.at[o[k].i].n + !t->settings.at[o[k].i].n);
	}
	free(o);
}

/* Distances by tunable of all pairs, for many fits. */
static double *all_apart(const struct model *m)
{
	double *apart = mem_new(m->dims * m->n * m->n + 1, sizeof(*apart)), *to = apart;

	for (size_t j = 0; j < m->dims; j++)
		for (size_t a = 0; a < m->n; a++, to += m->n)
			for (size_t b = 0; b < a; b++)
				to[b] = space_apart(m->t->space, &m->x[a], &m->x[b], j);
	return apart;
}

/* The matrix of the points into m->chol, factored; false: it cannot be. */
static bool factor(struct model *m, const double *apart)
{
	double s2 = signal2(m), weight[SPACE_MAX];
	size_t square = m->n * m->n;

	for (size_t j = 0; j < m->dims; j++)
		weight[j] = exp(-2 * m->theta[j]);
	for (size_t a = 0; a < m->n; a++) {
		double *row = m->chol + a * m->room;
		const double *d = apart + a * m->n;

		for (size_t b = 0; b < a; b++) {
			double r2 = 0;

			for (size_t j = 0; j < m->dims; j++)
				r2 += d[j * square + b] * weight[j];
			row[b] = s2 * gauss_matern(r2);
		}
		row[a] = s2 * (1 + 1e-8) + rest2(m) + m->noise[a];
	}
	return gauss_factor(m->chol, m->n, m->room);
}

/* The constant by generalised least squares, alpha, and the logarithm of the likelihood. */
static double solve(struct model *m)
{
	double *one = mem_new(m->n + 1, sizeof(*one)), above = 0, below = 0, fit = 0, det = 0;

	for (size_t k = 0; k < m->n; k++) {
		one[k] = 1;
		m->alpha[k] = m->y[k];
	}
	gauss_forward(m->chol, m->n, m->room, one);
	gauss_forward(m->chol, m->n, m->room, m->alpha);
	for (size_t k = 0; k < m->n; k++) {
		above += one[k] * m->alpha[k];
		below += one[k] * one[k];
	}
	m->constant = above / below;
	for (size_t k = 0; k < m->n; k++) {
		m->alpha[k] -= m->constant * one[k];
		fit += m->alpha[k] * m->alpha[k];
		det += log(m->chol[k * m->room + k]);
	}
	gauss_backward(m->chol, m->n, m->room, m->alpha);
	free(one);
	return -0.5 * fit - det;
}

/* Likelihood times prior: lengths about the size of the space, a tenth of the signal that no neighbour explains. */
static double plausible(struct model *m, const double *apart, double sd)
{
	double p = 0, off;

	for (size_t j = 0; j < m->dims; j++) {
		off = m->theta[j] - log(0.5 * sqrt((double)m->dims));
		p -= 0.5 * off * off;
	}
	off = (m->theta[m->dims] - log(sd)) / 0.7;
	p -= 0.5 * off * off;
	off = m->theta[m->dims + 1] - log(0.1 * sd);
	p -= 0.5 * off * off;
	return factor(m, apart) ? p + solve(m) : -HUGE_VAL;
}

/* Climb by steps along one scale at a time, which halve. */
static void model_learn(struct model *m, const double *apart, double sd)
{
	double best = plausible(m, apart, sd), step = 0.8;

	for (int sweep = 0; sweep < SWEEPS; sweep++, step /= 2)
		for (size_t j = 0; j < m->dims + 2; j++)
			for (int sign = -1; sign <= 1; sign += 2) {
				double keep = m->theta[j], now;

				m->theta[j] = keep + sign * step;
				now = plausible(m, apart, sd);
				if (now > best)
					best = now;
				else
					m->theta[j] = keep;
			}
}

struct model *model_fit(const struct trials *t, struct model_scales *scales)
{
	struct model *m = mem_new(1, sizeof(*m));
	double *apart, sd;

	m->t = t;
	for (size_t i = 0; i < t->settings.n; i++)
		m->failures |= trials_failed(t, i);
	m->dims = t->space->n_tunables;
	take_points(m);
	m->theta = scales->theta;
	apart = all_apart(m);
	sd = stats_sd(m->y, m->n);
	sd = sd > 1e-3 ? sd : 1e-3;
	if (!scales->known) {
		for (size_t j = 0; j < m->dims; j++)
			m->theta[j] = log(0.5 * sqrt((double)m->dims));
		m->theta[m->dims] = log(sd);
		m->theta[m->dims + 1] = log(0.1 * sd);
	}
	if (!scales->known || m->n * 5 > scales->of * 6) {
		model_learn(m, apart, sd);
		scales->of = m->n;
		scales->known = true;
	}
	m->theta = mem_new(m->dims + 2, sizeof(*m->theta));
	memcpy(m->theta, scales->theta, (m->dims + 2) * sizeof(*m->theta));
	factor(m, apart);
	solve(m);
	free(apart);
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	free(m->index);
	free(m->x);
	free(m->y);
	free(m->noise);
	free(m->chol);
	free(m->alpha);
	free(m->theta);
	free(m);
}

/* Covariances of @x with all points; a point that is @x itself shares what no neighbour explains. */
static double covary(const struct model *m, const struct setting *x, double *k)
{
	double s2 = signal2(m), mean = m->constant;

	for (size_t i = 0; i < m->n; i++) {
		k[i] = s2 * correlation(m, x, &m->x[i]);
		if (space_equal(m->t->space, x, &m->x[i]))
			k[i] += rest2(m);
		mean += k[i] * m->alpha[i];
	}
	return mean;
}

void model_predict(const struct model *m, const struct setting *x, double *mean, double *sd)
{
	double k[MODEL_MOST + ROOM], v = signal2(m) + rest2(m);

	*mean = covary(m, x, k);
	if (!sd)
		return;
	gauss_forward(m->chol, m->n, m->room, k);
	for (size_t i = 0; i < m->n; i++)
		v -= k[i] * k[i];
	*sd = sqrt(v > 1e-12 ? v : 1e-12);
}

void model_suppose(struct model *m, const struct setting *x)
{
	double k[MODEL_MOST + ROOM], v = signal2(m) * (1 + 1e-8) + rest2(m);
	double *row = m->chol + m->n * m->room;

	if (m->n == m->room)
		return;
	m->y[m->n] = covary(m, x, k);
	m->noise[m->n] = m->t->sigma * m->t->sigma;
	gauss_forward(m->chol, m->n, m->room, k);
	for (size_t i = 0; i < m->n; i++) {
		row[i] = k[i];
		v -= k[i] * k[i];
	}
	row[m->n] = sqrt((v > 1e-12 ? v : 1e-12) + m->noise[m->n]);
	m->index[m->n] = SIZE_MAX;
	m->x[m->n] = *x;
	m->alpha[m->n++] = 0; /* it meets what was expected, so it changes no expectation */
}

/* How much a neighbour says of whether @x fails: of a tenth of the range much, of a half little. */
static double weight_near(const struct model *m, const struct setting *a, const struct setting *b)
{
	double r2 = 0;

	for (size_t j = 0; j < m->dims; j++)
		r2 += space_apart(m->t->space, a, b, j);
	return exp(-SHARP * r2);
}

double model_runs(const struct model *m, const struct setting *x)
{
	double ran = PRIOR, failed = 0;

	for (size_t i = 0; m->failures && i < m->t->settings.n; i++) {
		const struct tried *s = &m->t->settings.at[i];
		double near = weight_near(m, x, &s->x);

		if (trials_failed(m->t, i))
			failed += near;
		else
			ran += near;
	}
	return ran / (ran + failed);
}

double model_gain(const struct model *m, const struct setting *x, double best)
{
	double mean, sd, z;

	model_predict(m, x, &mean, &sd);
	z = (best - mean) / sd;
	return ((best - mean) * 0.5 * erfc(-z / M_SQRT2) + sd * exp(-0.5 * z * z) / sqrt(2 * M_PI)) *
	       model_runs(m, x);
}

size_t model_best(const struct model *m, double *mean)
{
	size_t best = SIZE_MAX;

	for (size_t k = 0; k < m->n; k++) {
		double expected;

		if (m->index[k] == SIZE_MAX || !trials_good(m->t, m->index[k]))
			continue;
		model_predict(m, &m->x[k], &expected, NULL);
		if (best != SIZE_MAX && expected >= *mean)
			continue;
		best = m->index[k];
		*mean = expected;
	}
	return best;
}

#define DRAWS 400

void model_effects(const struct model *m, uint64_t seed, double *effect)
{
	const struct space *s = m->t->space;

	for (size_t j = 0; j < m->dims; j++) {
		struct rng rng = rng_keyed(seed, j, 0x656666, 0);
		double sum = 0;
		unsigned n = 0;

		for (unsigned k = 0; k < DRAWS; k++) {
			struct setting a, b;
			double ya, yb;

			if (!space_random(s, &rng, &a))
				break;
			b = a;
			b.at[j] = (uint32_t)rng_below(&rng, s->tunables[j].n);
			space_settle(s, &b);
			if (!space_allowed(s, &b))
				continue;
			model_predict(m, &a, &ya, NULL);
			model_predict(m, &b, &yb, NULL);
			sum += (ya - yb) * (ya - yb);
			n++;
		}
		effect[j] = n ? sqrt(sum / (2 * n)) : 0;
	}
}
