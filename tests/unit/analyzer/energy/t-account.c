/* SPDX-License-Identifier: MIT */
/* Joules that are dealt add up, are never below 0, and follow the rule. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyzer/energy/account.h"
#include "lib/rng.h"

#define N 40

static void check_sums(const struct energy_part *part, size_t n, double total, double idle)
{
	double joules = 0, anyway = 0;

	for (size_t i = 0; i < n; i++) {
		assert_true(part[i].idle >= 0 && part[i].joules >= part[i].idle && isfinite(part[i].joules));
		joules += part[i].joules;
		anyway += part[i].idle;
	}
	assert_true(fabs(joules - total) <= 1e-9 * fmax(total, 1e-9));
	assert_true(fabs(anyway - fmin(idle, total)) <= 1e-9 * fmax(total, 1e-9));
}

static void sums_are_kept_by_all_rules_and_nothing_is_below_0(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct rng r = rng_keyed(seed, 1, 0, 0);
		struct energy_part part[N] = {{0}};
		size_t n = 1 + rng_below(&r, N);
		double total = pow(10, 8 * rng_unit(&r) - 3), idle = total * 1.3 * rng_unit(&r);

		for (size_t i = 0; i < n; i++) {
			part[i].thread = rng_below(&r, 5); /* 4: of no thread */
			part[i].activity = rng_below(&r, 3) ? rng_unit(&r) - 0.1 : 0;
			part[i].time = rng_below(&r, 3) ? 1e9 * rng_unit(&r) : 0;
		}
		for (int rule = 0; rule < ENERGY_RULES; rule++) {
			energy_account(part, n, 4, total, idle, (enum energy_rule)rule);
			check_sums(part, n, total, idle);
		}
	}
}

/* Two threads: one works twice as much, the other was there three times as long. */
static void deal(enum energy_rule rule, double idle, double first, double second)
{
	struct energy_part part[] = {{.thread = 0, .activity = 2, .time = 1},
				     {.thread = 1, .activity = 1, .time = 3}};

	energy_account(part, 2, 2, 30 + idle, idle, rule);
	if (fabs(part[0].joules - first) > 1e-9 || fabs(part[1].joules - second) > 1e-9)
		fail_msg("%g and %g J", part[0].joules, part[1].joules);
}

static void what_is_drawn_anyway_follows_the_rule(void **state)
{
	(void)state;
	deal(ENERGY_RULE_ACTIVITY, 0, 20, 10);
	deal(ENERGY_RULE_ACTIVITY, 12, 28, 14);
	deal(ENERGY_RULE_TIME, 12, 23, 19);
	deal(ENERGY_RULE_EQUAL, 12, 26, 16);
}

static void where_nothing_is_known_all_have_the_same(void **state)
{
	struct energy_part part[2] = {{0}};

	(void)state;
	energy_account(part, 2, 1, 10, 4, ENERGY_RULE_ACTIVITY);
	assert_true(part[0].joules == 5 && part[1].joules == 5);
	energy_account(part, 2, 1, 0, 4, ENERGY_RULE_TIME);
	assert_true(part[0].joules == 0 && part[1].joules == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_kept_by_all_rules_and_nothing_is_below_0),
		cmocka_unit_test(what_is_drawn_anyway_follows_the_rule),
		cmocka_unit_test(where_nothing_is_known_all_have_the_same),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
