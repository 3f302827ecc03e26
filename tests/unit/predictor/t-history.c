/* SPDX-License-Identifier: MIT */
/* Finished tasks: generated ones are foreseen, their intervals hold, what is unlike them is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>

#include "predictor/model/history.h"
#include "truth.h"

#define TASKS 12

/* A task as large as exp(@size): in small, and whole by the power @slope, each with its own scatter. */
static struct history_row made(struct rng *r, double slope, double scatter)
{
	double size = 3 * truth_normal(r) / 2;

	return (struct history_row){exp(size), exp(5 + slope * size + scatter * truth_normal(r))};
}

static void test_exact(void **state)
{
	struct history_row rows[TASKS];
	struct history_line l;

	(void)state;
	for (size_t i = 0; i < TASKS; i++)
		rows[i] = (struct history_row){1 + (double)i, 40 * (1 + (double)i)};
	assert_int_equal(history_fit(&l, rows, TASKS), 0);
	assert_float_equal(l.slope, 1, 1e-9);
	assert_float_equal(history_estimate(&l, 5.5).middle, 220, 1e-6);
	assert_true(l.foreseen < 1e-9);
}

static void test_few(void **state)
{
	struct history_row rows[HISTORY_LEAST] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}};
	struct history_line l;

	(void)state;
	assert_int_equal(history_fit(&l, rows, HISTORY_LEAST - 1), -ENODATA);
	assert_int_equal(history_fit(&l, rows, HISTORY_LEAST), 0);
}

/* All small runs alike: the mean, and nothing that is infinite. */
static void test_alike(void **state)
{
	struct history_row rows[6] = {{7, 10}, {7, 11}, {7, 9}, {7, 10}, {7, 12}, {7, 10}};
	struct history_line l;
	struct growth_estimate e;

	(void)state;
	assert_int_equal(history_fit(&l, rows, 6), 0);
	e = history_estimate(&l, 7);
	assert_float_equal(e.middle, 10.3, 0.1);
	assert_true(isfinite(e.low) && isfinite(e.high) && e.low < 9 && e.high > 12);
	assert_true(history_holds(&l, 7.5));
	assert_false(history_holds(&l, 9));
}

/* 90 % intervals of tasks whose scatter and slope nobody knows hold at least 85 % of 1,000. */
static void test_intervals(void **state)
{
	static const double scatters[] = {0.05, 0.2, 0.5}, slopes[] = {0.8, 1, 1.3};
	struct rng r;

	(void)state;
	r = rng_keyed(1, 0, 0, 0);
	for (size_t a = 0; a < 3; a++)
		for (size_t b = 0; b < 3; b++) {
			size_t held = 0;

			for (size_t k = 0; k < 1000; k++) {
				struct history_row rows[TASKS], next = made(&r, slopes[b], scatters[a]);
				struct history_line l;
				struct growth_estimate e;

				for (size_t i = 0; i < TASKS; i++)
					rows[i] = made(&r, slopes[b], scatters[a]);
				assert_int_equal(history_fit(&l, rows, TASKS), 0);
				e = history_estimate(&l, next.probe);
				held += next.target >= e.low && next.target <= e.high;
			}
			print_message("# scatter %g, slope %g: %zu of 1000\n", scatters[a], slopes[b], held);
			assert_true(held >= 850);
		}
}

/* What is said is off by less than the median, on average, where tasks scatter; the same where they do not. */
static void test_least_error(void **state)
{
	double scatters[] = {0.02, 0.5};
	struct rng r = rng_keyed(2, 0, 0, 0);

	(void)state;
	for (size_t a = 0; a < 2; a++) {
		double said = 0, median = 0;

		for (size_t k = 0; k < 2000; k++) {
			struct history_row rows[TASKS], next = made(&r, 1, scatters[a]);
			struct history_line l;
			struct growth_estimate e;

			for (size_t i = 0; i < TASKS; i++)
				rows[i] = made(&r, 1, scatters[a]);
			assert_int_equal(history_fit(&l, rows, TASKS), 0);
			e = history_estimate(&l, next.probe);
			assert_true(e.low < e.best && e.best < e.middle);
			said += fabs(e.best / next.target - 1) / 2000;
			median += fabs(e.middle / next.target - 1) / 2000;
		}
		print_message("# scatter %g: %.3g off, the median %.3g\n", scatters[a], said, median);
		assert_true(a ? said < 0.9 * median : said < 1.2 * median);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),       cmocka_unit_test(test_few),
		cmocka_unit_test(test_alike),       cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_least_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
