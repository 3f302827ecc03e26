/* SPDX-License-Identifier: MIT */
/* lib/compare/signed-rank: critical ranks of the tables, and how often the interval misses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "lib/compare/signed-rank.h"
#include "lib/rng.h"

static void ranks_are_those_of_the_tables(void **state)
{
	(void)state;
	/* Wilcoxon's table: the largest sum with P <= alpha, one-sided, plus 1. */
	assert_int_equal(signed_rank_critical(6, 0.025), 1);
	assert_int_equal(signed_rank_critical(10, 0.025), 9);
	assert_int_equal(signed_rank_critical(20, 0.01), 44);
	assert_int_equal(signed_rank_critical(6, 0.01), 0); /* 1/64 is more */
	assert_int_equal(signed_rank_critical(7, 0.01), 1);
}

static void too_few_values_say_nothing(void **state)
{
	const double value[6] = {1, 2, 3, 4, 5, 6};
	struct signed_rank r = signed_rank_interval(value, 6, 0.01);

	(void)state;
	assert_true(isinf(r.low) && isinf(r.high));
	assert_true(fabs(r.estimate - 3.5) < 1e-9);
}

/* Of 4,000 samples with heavy tails around 0 each side misses 1 %. */
static void an_interval_misses_as_often_as_it_says(void **state)
{
	unsigned above = 0, below = 0;

	(void)state;
	for (uint64_t k = 0; k < 4000; k++) {
		struct rng rng = rng_keyed(5, k, 0, 0);
		double value[20];
		struct signed_rank r;

		for (int i = 0; i < 20; i++)
			value[i] = tan(M_PI * (rng_unit(&rng) - 0.5)); /* Cauchy */
		r = signed_rank_interval(value, 20, 0.01);
		above += r.low > 0;
		below += r.high < 0;
	}
	assert_in_range(above, 15, 60);
	assert_in_range(below, 15, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_those_of_the_tables),
		cmocka_unit_test(too_few_values_say_nothing),
		cmocka_unit_test(an_interval_misses_as_often_as_it_says),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
