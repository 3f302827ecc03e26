/* SPDX-License-Identifier: MIT */
/* lib/compare/paired: medians, quantiles, and an interval that covers what it promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "lib/compare/paired.h"
#include "lib/rng.h"
#include "lib/stats.h"

static void the_median_of_even_and_odd_counts(void **state)
{
	double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};

	(void)state;
	assert_true(stats_median(odd, 3) == 2.0);
	assert_true(stats_median(even, 4) == 2.5);
	assert_true(stats_median(one, 1) == 7.0);
}

static void quantiles_lie_between_neighbours(void **state)
{
	double v[] = {0, 10, 20, 30, 40};

	(void)state;
	assert_true(stats_quantile(v, 5, 0.0) == 0.0);
	assert_true(stats_quantile(v, 5, 1.0) == 40.0);
	assert_true(fabs(stats_quantile(v, 5, 0.6) - 24.0) < 1e-12);
}

static void equal_pairs_have_ratio_one_and_no_width(void **state)
{
	double a[20];
	struct paired_interval r;

	(void)state;
	for (int i = 0; i < 20; i++)
		a[i] = 1.0 + i;
	r = paired_ratio(a, a, 20, 1000, 1);
	assert_true(r.estimate == 1.0 && r.low == 1.0 && r.high == 1.0);
}

static void pairing_removes_what_both_sides_share(void **state)
{
	double a[20], b[20];
	struct rng rng = rng_keyed(5, 0, 0, 0);
	struct paired_interval r;

	(void)state;
	/* The machine is up to three times slower from pair to pair; B is always 10 % faster. */
	for (int i = 0; i < 20; i++) {
		a[i] = 1.0 + 2.0 * rng_unit(&rng);
		b[i] = 0.9 * a[i];
	}
	r = paired_ratio(a, b, 20, 1000, 1);
	assert_true(fabs(r.estimate - 0.9) < 1e-12 && r.high < 0.9001);
}

static void the_same_seed_gives_the_same_interval(void **state)
{
	double a[] = {1, 1.1, 1.2, 0.9, 1}, b[] = {1.3, 0.8, 1, 1, 0.7};
	struct paired_interval x = paired_ratio(a, b, 5, 500, 3), y = paired_ratio(a, b, 5, 500, 3);

	(void)state;
	assert_true(x.low == y.low && x.high == y.high);
}

/* Noise of 5 %, no true difference: the interval must hold 1 in about 95 of 100 trials. */
static void the_interval_covers_the_truth(void **state)
{
	int covered = 0;

	(void)state;
	for (uint64_t trial = 0; trial < 400; trial++) {
		struct rng rng = rng_keyed(77, trial, 0, 0);
		double a[20], b[20];
		struct paired_interval r;

		for (int i = 0; i < 20; i++) {
			a[i] = 1.0 + 0.05 * (rng_unit(&rng) + rng_unit(&rng) - 1.0);
			b[i] = 1.0 + 0.05 * (rng_unit(&rng) + rng_unit(&rng) - 1.0);
		}
		r = paired_ratio(a, b, 20, 300, trial);
		covered += r.low <= 1.0 && r.high >= 1.0;
	}
	assert_in_range(covered, 365, 400);
}

static void a_limit_inside_the_interval_decides_nothing(void **state)
{
	struct paired_interval i = {0.97, 0.95, 1.01};

	(void)state;
	assert_int_equal(paired_judge(&i, 1.0), PAIRED_OPEN);
	assert_int_equal(paired_judge(&i, 1.01), PAIRED_OPEN);
	assert_int_equal(paired_judge(&i, 1.03), PAIRED_BELOW);
	assert_int_equal(paired_judge(&i, 0.94), PAIRED_ABOVE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_median_of_even_and_odd_counts),
		cmocka_unit_test(quantiles_lie_between_neighbours),
		cmocka_unit_test(equal_pairs_have_ratio_one_and_no_width),
		cmocka_unit_test(pairing_removes_what_both_sides_share),
		cmocka_unit_test(the_same_seed_gives_the_same_interval),
		cmocka_unit_test(the_interval_covers_the_truth),
		cmocka_unit_test(a_limit_inside_the_interval_decides_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
