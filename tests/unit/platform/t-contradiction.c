/* SPDX-License-Identifier: MIT */
/* Prices that cannot be are told from those that can. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "platform/calibrate.h"

static struct calibrate_pair plausible(void)
{
	struct calibrate_pair p = {.transfer_ps = 40000, .first_transfer_ps = 42000};

	p.alone_ps[PRICE_RMW] = 300;
	p.shared_ps[PRICE_RMW] = 1500;
	p.alone_ps[PRICE_ATOMIC] = 2300;
	p.shared_ps[PRICE_ATOMIC] = 10000;
	return p;
}

static void plausible_prices_pass(void **state)
{
	struct calibrate_pair p = plausible();

	(void)state;
	assert_null(calibrate_contradiction(&p));
	p.shared_ps[PRICE_STORE] = p.alone_ps[PRICE_STORE] = 200; /* the store buffer hides it all */
	assert_null(calibrate_contradiction(&p));
}

static void a_locked_increment_is_no_cheaper_than_a_plain_one(void **state)
{
	struct calibrate_pair p = plausible();

	(void)state;
	p.shared_ps[PRICE_ATOMIC] = p.alone_ps[PRICE_ATOMIC] + 400;
	assert_non_null(calibrate_contradiction(&p));
	p.shared_ps[PRICE_RMW] = p.alone_ps[PRICE_RMW];
	assert_non_null(strstr(calibrate_contradiction(&p), "on its own"));
}

static void cores_that_move_are_noticed(void **state)
{
	struct calibrate_pair p = plausible();

	(void)state;
	p.transfer_ps = 160000;
	assert_non_null(strstr(calibrate_contradiction(&p), "distance"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plausible_prices_pass),
		cmocka_unit_test(a_locked_increment_is_no_cheaper_than_a_plain_one),
		cmocka_unit_test(cores_that_move_are_noticed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
