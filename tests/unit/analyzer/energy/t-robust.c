/* SPDX-License-Identifier: MIT */
/* Robust fits against GSL's, against rows that are far off, and without such rows. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <gsl/gsl_multifit.h>

#include "analyzer/energy/robust.h"
#include "lib/rng.h"

#define ROWS  200
#define TERMS 4

static const double cost[TERMS] = {1.5, -0.3, 0.02, 0};

static double gauss(struct rng *r)
{
	return sqrt(-2 * log(1 - rng_unit(r))) * cos(2 * M_PI * rng_unit(r));
}

/* Rows of 20 W and what the terms cost, of which @wild in a hundred show ten times as much; every 40th has a lever. */
static void make(double z[ROWS][TERMS + 1], double noise, unsigned wild, uint64_t seed)
{
	struct rng r = rng_keyed(seed, wild, 0, 0);

	for (int i = 0; i < ROWS; i++) {
		double common = gauss(&r), watts = 20 + noise * gauss(&r);

		for (int k = 0; k < TERMS; k++) {
			z[i][k] = pow(10, k) * (5 + common + gauss(&r)) * (i % 40 == 7 ? 3 : 1);
			watts += cost[k] * z[i][k];
		}
		z[i][TERMS] = rng_unit(&r) < wild / 100.0 ? 10 * watts : watts;
	}
}

/* The largest error of a weight, in units of what the term is worth at its mean. */
static double error_of(const struct energy_weights *w)
{
	double worst = fabs(w->constant - 20);

	for (int k = 0; k < TERMS; k++)
		worst = fmax(worst, fabs(w->w[k] - cost[k]) * 5 * pow(10, k));
	return worst;
}

static void fit_by_gsl(double z[ROWS][TERMS + 1], struct energy_weights *w)
{
	gsl_matrix *x = gsl_matrix_alloc(ROWS, TERMS + 1), *cov = gsl_matrix_alloc(TERMS + 1, TERMS + 1);
	gsl_vector *y = gsl_vector_alloc(ROWS), *c = gsl_vector_alloc(TERMS + 1);
	gsl_multifit_robust_workspace *space =
		gsl_multifit_robust_alloc(gsl_multifit_robust_bisquare, ROWS, TERMS + 1);

	for (size_t i = 0; i < ROWS; i++) {
		gsl_matrix_set(x, i, TERMS, 1);
		for (size_t k = 0; k < TERMS; k++)
			gsl_matrix_set(x, i, k, z[i][k]);
		gsl_vector_set(y, i, z[i][TERMS]);
	}
	assert_int_equal(gsl_multifit_robust(x, y, c, cov, space), 0);
	for (size_t k = 0; k < TERMS; k++)
		w->w[k] = gsl_vector_get(c, k);
	w->constant = gsl_vector_get(c, TERMS);
	gsl_multifit_robust_free(space);
	gsl_matrix_free(x);
	gsl_matrix_free(cov);
	gsl_vector_free(y);
	gsl_vector_free(c);
}

static void fits_are_those_of_gsl(void **state)
{
	double z[ROWS][TERMS + 1];
	struct energy_weights ours, gsl;
	struct err err = ERR_INIT;

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		make(z, 0.5, 10, seed);
		assert_int_equal(energy_robust(&z[0][0], ROWS, TERMS, UINT64_MAX, &ours, &err), 0);
		fit_by_gsl(z, &gsl);
		for (size_t k = 0; k < TERMS; k++)
			assert_true(fabs(ours.w[k] - gsl.w[k]) * pow(10, (double)k) < 1e-5);
		assert_true(fabs(ours.constant - gsl.constant) < 1e-5);
	}
}

static void least_squares(double z[ROWS][TERMS + 1], struct energy_weights *w)
{
	struct energy_gram g = energy_gram_new(TERMS);
	struct energy_scaling s = {.n = TERMS};
	struct energy_normal normal;

	for (int k = 0; k <= TERMS; k++)
		s.scale[k] = pow(10, k % TERMS);
	for (int i = 0; i < ROWS; i++)
		energy_gram_add(&g, &s, z[i], z[i][TERMS], 1);
	energy_gram_normal(&g, &s, &normal);
	assert_int_equal(energy_fit(&normal, ENERGY_OLS, UINT64_MAX, w, NULL), 0);
	energy_gram_release(&g);
}

static void rows_far_off_do_not_move_it(void **state)
{
	double z[ROWS][TERMS + 1];
	struct energy_weights robust, ols;
	struct err err = ERR_INIT;

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		make(z, 0.1, 10, seed);
		assert_int_equal(energy_robust(&z[0][0], ROWS, TERMS, UINT64_MAX, &robust, &err), 0);
		least_squares(z, &ols);
		assert_true(error_of(&robust) < 0.3);
		assert_true(error_of(&ols) > 5);
	}
}

static void without_rows_far_off_it_is_least_squares(void **state)
{
	double z[ROWS][TERMS + 1];
	struct energy_weights robust, ols;
	struct err err = ERR_INIT;

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		make(z, 0.1, 0, seed);
		assert_int_equal(energy_robust(&z[0][0], ROWS, TERMS, UINT64_MAX, &robust, &err), 0);
		least_squares(z, &ols);
		assert_true(error_of(&robust) < 0.3 && error_of(&ols) < 0.3);
		assert_true(robust.rss >= ols.rss * (1 - 1e-9) && robust.rss < ols.rss * 1.1);
	}
}

static void rows_without_noise_and_terms_that_depend_are_fitted(void **state)
{
	double z[ROWS][TERMS + 1];
	struct energy_weights w;
	struct err err = ERR_INIT;

	(void)state;
	make(z, 0, 10, 1);
	assert_int_equal(energy_robust(&z[0][0], ROWS, TERMS, UINT64_MAX, &w, &err), 0);
	assert_true(error_of(&w) < 1e-3);
	make(z, 0.1, 10, 1);
	for (int i = 0; i < ROWS; i++) {
		z[i][3] = 100 * z[i][0] + z[i][1];
		z[i][2] = 7;
	}
	assert_int_equal(energy_robust(&z[0][0], ROWS, TERMS, UINT64_MAX, &w, &err), 0);
	for (int k = 0; k < TERMS; k++)
		assert_true(isfinite(w.w[k]));
	assert_true(w.w[2] == 0);
	assert_int_equal(energy_robust(&z[0][0], 4, TERMS, UINT64_MAX, &w, &err), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fits_are_those_of_gsl),
		cmocka_unit_test(rows_far_off_do_not_move_it),
		cmocka_unit_test(without_rows_far_off_it_is_least_squares),
		cmocka_unit_test(rows_without_noise_and_terms_that_depend_are_fitted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("robust", tests, NULL, NULL);
}
