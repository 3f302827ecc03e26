/* SPDX-License-Identifier: MIT */
/* Figures of made-up tasks, whose growth is known by construction. */
#ifndef PERSEUS_TESTS_UNIT_PREDICTOR_TRUTH_H
#define PERSEUS_TESTS_UNIT_PREDICTOR_TRUTH_H

#include <math.h>
#include <string.h>

#include "lib/rng.h"
#include "predictor/model/growth.h"

struct truth {
	size_t terms;
	struct growth_term term[2];
	double c[2], constant;
	double noise;      /* relative, of each run */
	double scatter;    /* relative, of each size: its data */
	uint64_t data;     /* which data */
	double from, rise; /* n from which all costs are so many times as high; rise 1: nowhere */
	struct rng rng;
};

static inline double truth_normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * M_PI * rng_unit(rng));
}

/* The cost of n without noise. */
static inline double truth_exact(const struct truth *t, double n)
{
	double y = t->constant, x[GROWTH_PARAMS] = {n};

	for (size_t k = 0; k < t->terms; k++)
		y += t->c[k] * growth_term_value(&t->term[k], 1, x);
	return n >= t->from ? y * t->rise : y;
}

static inline double truth_run(struct truth *t, double n)
{
	struct rng data = rng_keyed(t->data, (uint64_t)n, 0, 0);

	return truth_exact(t, n) * exp(t->noise * truth_normal(&t->rng) + t->scatter * truth_normal(&data));
}

/* An exponent as programs have them, and seldom another one. */
static inline struct growth_term truth_term(struct rng *rng)
{
	static const double often[] = {1, 1, 1, 2, 2, 3, 1.5, 0.5, 2.5, 4.0 / 3, 5.0 / 3, 1.25};
	struct growth_term t = {{0}, {0}};

	t.a[0] = often[rng_below(rng, sizeof(often) / sizeof(often[0]))];
	t.b[0] = rng_below(rng, 3) == 0;
	return t;
}

/*
 * A task of one or two terms and a start-up cost.  At n = 256 the second term is a third of the
 * first one at most, and so is the constant.
 */
static inline struct truth truth_make(uint64_t seed, double noise)
{
	struct truth t = {.noise = noise, .from = INFINITY, .rise = 1, .rng = rng_keyed(seed, 25, 0, 0)};
	double x[GROWTH_PARAMS] = {256};

	t.terms = 1 + rng_below(&t.rng, 2);
	for (size_t k = 0; k < t.terms; k++) {
		t.term[k] = truth_term(&t.rng);
		t.c[k] = (k ? 0.33 * rng_unit(&t.rng) : 1) / growth_term_value(&t.term[k], 1, x);
	}
	t.constant = rng_below(&t.rng, 2) ? 0.33 * rng_unit(&t.rng) : 0;
	return t;
}

/* n^2. */
static inline struct truth truth_square(double noise)
{
	return (struct truth){.terms = 1,
			      .term = {{{2}, {0}}},
			      .c = {1e-3},
			      .noise = noise,
			      .from = INFINITY,
			      .rise = 1,
			      .rng = rng_keyed(25, 25, 0, 0)};
}

/* @each runs of each of @n sizes that grow by @ratio from 32. */
static inline size_t truth_probe(struct truth *t, size_t n, size_t each, double ratio, struct growth_run *out)
{
	size_t made = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < each; k++) {
			memset(&out[made], 0, sizeof(out[made]));
			out[made].x[0] = round(32 * pow(ratio, (double)i));
			out[made].y = truth_run(t, out[made].x[0]);
			made++;
		}
	return made;
}

#endif
