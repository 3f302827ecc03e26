/* SPDX-License-Identifier: MIT */
/* Fits and searches against what defines them: naive enumeration, and conditions of optimality. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyzer/energy/fit.h"
#include "analyzer/energy/subset.h"
#include "lib/rng.h"

#define ROWS 60

/* A problem of @n terms, and its rows. */
struct problem {
	size_t n;
	double z[ROWS][12], y[ROWS];
	struct energy_normal normal;
};

static double gauss(struct rng *r)
{
	return sqrt(-2 * log(1 - rng_unit(r))) * cos(2 * M_PI * rng_unit(r));
}

/* Correlated terms of very different sizes, as counts are; some have no part in y. */
static void make(struct problem *p, size_t n, uint64_t seed)
{
	struct rng r = rng_keyed(seed, n, 0, 0);
	struct energy_scaling s = {.n = n};
	struct energy_gram g = energy_gram_new(n);
	double cost[12];

	p->n = n;
	for (size_t i = 0; i <= n; i++)
		s.scale[i] = 1;
	for (size_t i = 0; i < n; i++)
		cost[i] = i % 3 ? gauss(&r) : 0;
	for (int row = 0; row < ROWS; row++) {
		double common = gauss(&r);

		p->y[row] = 40 + 2 * gauss(&r);
		for (size_t i = 0; i < n; i++) {
			double x = 5 + common + gauss(&r), size = pow(10, (double)(i % 4));

			p->z[row][i] = x * size;
			p->y[row] += cost[i] * x;
			s.scale[i] = size;
		}
	}
	for (int row = 0; row < ROWS; row++)
		energy_gram_add(&g, &s, p->z[row], p->y[row], 1);
	energy_gram_normal(&g, &s, &p->normal);
	energy_gram_release(&g);
}

/* The sum of squared residuals row by row, and the gradient of half of it at each weight. */
static double squares(const struct problem *p, const struct energy_weights *w, double *gradient)
{
	double sum = 0;

	for (size_t i = 0; i <= p->n; i++)
		gradient[i] = 0;
	for (int row = 0; row < ROWS; row++) {
		double off = energy_estimate(w, p->z[row]) - p->y[row];

		sum += off * off;
		for (size_t i = 0; i < p->n; i++)
			gradient[i] += off * p->z[row][i] / pow(10, (double)(i % 4));
		gradient[p->n] += off;
	}
	return sum;
}

static void least_squares_have_no_gradient(void **state)
{
	struct problem p;
	struct energy_weights w;
	double gradient[13];

	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		make(&p, 1 + seed % 12, seed);
		assert_int_equal(energy_fit(&p.normal, ENERGY_OLS, UINT64_MAX, &w, NULL), 0);
		assert_float_equal(squares(&p, &w, gradient), w.rss, 1e-7 * w.rss);
		for (size_t i = 0; i <= p.n; i++)
			assert_true(fabs(gradient[i]) < 1e-6);
	}
}

static void weights_below_0_are_0_only_where_less_would_be_better(void **state)
{
	struct problem p;
	struct energy_weights w;
	double gradient[13];
	size_t zeros = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		make(&p, 1 + seed % 12, seed);
		assert_int_equal(energy_fit(&p.normal, ENERGY_NNLS, UINT64_MAX, &w, NULL), 0);
		assert_float_equal(squares(&p, &w, gradient), w.rss, 1e-6 * w.rss);
		for (size_t i = 0; i <= p.n; i++) {
			double weight = i < p.n ? w.w[i] : w.constant;

			assert_true(weight >= 0);
			assert_true(weight > 0 ? fabs(gradient[i]) < 1e-5 : gradient[i] > -1e-5);
			zeros += weight == 0;
		}
	}
	assert_true(zeros > 50);
}

static void ridge_is_between_nothing_and_least_squares(void **state)
{
	struct problem p;
	struct energy_weights ols, ridge;

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		make(&p, 8, seed);
		energy_fit(&p.normal, ENERGY_OLS, UINT64_MAX, &ols, NULL);
		energy_fit(&p.normal, ENERGY_RIDGE, UINT64_MAX, &ridge, NULL);
		assert_true(ridge.penalty > 0);
		assert_true(ridge.rss >= ols.rss * (1 - 1e-12));
	}
}

static void a_term_that_is_a_sum_of_others_is_found(void **state)
{
	struct problem p;
	double vif[ENERGY_MAX_TERMS];
	struct energy_scaling s = {.n = 3, .scale = {1, 1, 1, 1}};
	struct energy_gram g = energy_gram_new(3);
	struct energy_weights w;
	struct energy_normal n;

	(void)state;
	make(&p, 4, 1);
	energy_inflation(&p.normal, UINT64_MAX, vif);
	for (size_t i = 0; i < 4; i++)
		assert_true(vif[i] >= 1 && vif[i] < 10);
	for (int row = 0; row < ROWS; row++) {
		double z[3] = {p.z[row][0], p.z[row][1], p.z[row][0] + p.z[row][1]};

		energy_gram_add(&g, &s, z, p.y[row], 1);
	}
	energy_gram_normal(&g, &s, &n);
	energy_inflation(&n, UINT64_MAX, vif);
	assert_true(isinf(vif[0]) && isinf(vif[1]) && isinf(vif[2]));
	assert_int_equal(energy_fit(&n, ENERGY_OLS, UINT64_MAX, &w, NULL), 0);
	assert_true(isfinite(w.w[0]) && isfinite(w.w[2]));
	energy_gram_release(&g);
}

/* The least sum of each size over all sets. */
static void enumerate(const struct problem *p, energy_countable *countable, struct energy_subset *best)
{
	for (size_t m = 0; m <= p->n; m++)
		best[m] = (struct energy_subset){0, INFINITY};
	for (uint64_t set = 1; set < UINT64_C(1) << p->n; set++) {
		struct energy_weights w;
		int m = __builtin_popcountll(set);

		if (countable && !countable(NULL, set))
			continue;
		energy_fit(&p->normal, ENERGY_OLS, set, &w, NULL);
		if (w.rss < best[m].rss)
			best[m] = (struct energy_subset){set, w.rss};
	}
}

static bool is_not_0_with_1(void *context, uint64_t set)
{
	(void)context;
	return (set & 3) != 3;
}

static void the_best_sets_are_those_of_enumeration(void **state)
{
	struct energy_subset best[13];
	struct energy_subsets found;
	struct problem p;

	(void)state;
	for (uint64_t seed = 0; seed < 24; seed++) {
		energy_countable *countable = seed % 3 ? NULL : is_not_0_with_1;

		make(&p, 2 + seed % 9, seed);
		enumerate(&p, countable, best);
		assert_int_equal(
			energy_subsets_find(&p.normal, UINT64_MAX, p.n, countable, NULL, &found, NULL), 0);
		assert_true(found.exact);
		for (size_t m = 1; m <= p.n; m++) {
			assert_true(found.best[m].set == best[m].set);
			if (best[m].set)
				assert_float_equal(found.best[m].rss, best[m].rss, 1e-7 * best[m].rss);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_squares_have_no_gradient),
		cmocka_unit_test(weights_below_0_are_0_only_where_less_would_be_better),
		cmocka_unit_test(ridge_is_between_nothing_and_least_squares),
		cmocka_unit_test(a_term_that_is_a_sum_of_others_is_found),
		cmocka_unit_test(the_best_sets_are_those_of_enumeration),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("energy", tests, NULL, NULL);
}
