/* SPDX-License-Identifier: MIT */
/* lib/compare/groups: intervals that cover, and tables without false rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "lib/compare/groups.h"
#include "lib/rng.h"

#define MOST 10

static double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * M_PI * rng_unit(rng));
}

/* @n measurements around @mean with @sd, of which @told is known beforehand. */
static struct group make(double *value, double *sd, size_t n, struct rng *rng, double mean, double spread,
			 double told)
{
	for (size_t i = 0; i < n; i++) {
		value[i] = mean + spread * normal(rng);
		sd[i] = told;
	}
	return (struct group){value, sd, n, 0};
}

static struct group_difference trial(uint64_t seed, size_t n, double effect, double told)
{
	double v[4][MOST];
	struct rng rng = rng_keyed(seed, n, 0, 0);
	struct group a = make(v[0], v[1], n, &rng, 100, 5, told);
	struct group b = make(v[2], v[3], n, &rng, 100 + effect, 5, told);

	return groups_compare(&a, &b, 0);
}

static void intervals_cover_the_truth(void **state)
{
	static const size_t sizes[] = {1, 2, 3, 5, 10};

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		int covered = 0;

		for (uint64_t i = 0; i < 2000; i++) {
			struct group_difference d = trial(i, sizes[s], 7, 5);

			covered += d.low <= 7 && d.high >= 7;
		}
		assert_in_range(covered, 1870, 2000);
	}
}

static void a_difference_is_found_and_nothing_is_not(void **state)
{
	int found = 0, alarms = 0;

	(void)state;
	for (uint64_t i = 0; i < 2000; i++) {
		found += trial(i, 5, 25, 5).p < 0.01;
		alarms += trial(i, 5, 0, 5).p < 0.01;
	}
	assert_true(found > 1900);
	assert_true(alarms < 40);
}

static void one_measurement_each_is_judged_by_what_is_known_of_it(void **state)
{
	double a = 100, b = 120, sd = 2, rough = 15;
	struct group ga = {&a, &sd, 1, 0}, gb = {&b, &sd, 1, 0};

	(void)state;
	assert_true(groups_compare(&ga, &gb, 0).p < 0.001);
	ga.sd = gb.sd = &rough;
	assert_true(groups_compare(&ga, &gb, 0).p > 0.3);
}

/* Three equal values are no proof of a machine without noise if the groups are of different days. */
static void groups_of_other_times_differ_by_more_than_their_spread(void **state)
{
	double a[] = {100, 100.1, 100.2}, b[] = {102, 102.1, 102.2}, sd[] = {1, 1, 1};
	struct group ga = {a, sd, 3, 0}, gb = {b, sd, 3, 0};

	(void)state;
	assert_true(groups_compare(&ga, &gb, 0).p < 0.001);
	assert_true(groups_compare(&ga, &gb, 0.02).p > 0.3);
}

/* Those that the schedule rules agree for a while, and then not. */
static void what_is_known_may_stand_however_many_agree(void **state)
{
	double a[] = {100, 101, 102}, b[] = {200, 201, 202}, sd[] = {100, 100, 100};
	struct group ga = {a, sd, 3, 0}, gb = {b, sd, 3, 0};

	(void)state;
	assert_true(groups_compare(&ga, &gb, 0).p < 0.001);
	ga.least = gb.least = 1;
	assert_true(groups_compare(&ga, &gb, 0).p > 0.1);
}

static void equal_values_without_spread_do_not_differ(void **state)
{
	double a = 7, sd = 0;
	struct group g = {&a, &sd, 1, 0};
	struct group_difference d = groups_compare(&g, &g, 0);

	(void)state;
	assert_true(d.p == 1 && d.difference == 0 && d.low == 0 && d.high == 0);
}

static void holm_corrects_for_the_number_of_rows(void **state)
{
	double p[] = {0.01, 0.04, 0.03, 0.005, 0.9};
	const double want[] = {0.04, 0.09, 0.09, 0.025, 0.9};

	(void)state;
	groups_holm(p, 5);
	for (int i = 0; i < 5; i++)
		assert_true(fabs(p[i] - want[i]) < 1e-12);
	groups_holm(NULL, 0);
}

static void a_table_of_forty_rows_has_no_false_one(void **state)
{
	int tables = 0;

	(void)state;
	for (uint64_t t = 0; t < 500; t++) {
		double p[40];
		int alarm = 0;

		for (uint64_t i = 0; i < 40; i++)
			p[i] = trial(t * 40 + i, 4, 0, 5).p;
		groups_holm(p, 40);
		for (int i = 0; i < 40; i++)
			alarm |= p[i] < 0.01;
		tables += alarm;
	}
	assert_true(tables <= 15);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_cover_the_truth),
		cmocka_unit_test(a_difference_is_found_and_nothing_is_not),
		cmocka_unit_test(one_measurement_each_is_judged_by_what_is_known_of_it),
		cmocka_unit_test(groups_of_other_times_differ_by_more_than_their_spread),
		cmocka_unit_test(what_is_known_may_stand_however_many_agree),
		cmocka_unit_test(equal_values_without_spread_do_not_differ),
		cmocka_unit_test(holm_corrects_for_the_number_of_rows),
		cmocka_unit_test(a_table_of_forty_rows_has_no_false_one),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
