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

	p.alone_ps[PRS_KIND_RMW] = 300;
	p.shared_ps[PRS_KIND_RMW] = 1500;
	p.alone_ps[PRS_KIND_ATOMIC] = 2300;
	p.shared_ps[PRS_KIND_ATOMIC] = 10000;
	return p;
}

static void plausible_prices_pass(void **state)
{
	struct calibrate_pair p = plausible();

	(void)state;
	assert_null(calibrate_contradiction(&p));
	p.shared_ps[PRS_KIND_STORE] = p.alone_ps[PRS_KIND_STORE] = 200; /* the store buffer hides it all */
	assert_null(calibrate_contradiction(&p));
}

static void a_locked_increment_is_no_cheaper_than_a_plain_one(void **state)
{
	struct calibrate_pair p = plausible();

	(void)state;
	p.shared_ps[PRS_KIND_ATOMIC] = p.alone_ps[PRS_KIND_ATOMIC] + 400;
	assert_non_null(calibrate_contradiction(&p));
	p.shared_ps[PRS_KIND_RMW] = p.alone_ps[PRS_KIND_RMW];
	assert_non_null(strstr(calibrate_contradiction(&p), "on its own"));
}

static void cores_that_move_are_noticed(void **state)
{
	struct calibrate_pair p = plausible();

	(void)state;
	p.transfer_ps = 160000;
	assert_non_null(strstr(calibrate_contradiction(&p), "distance"));
}

static void a_look_at_another_distance_is_noticed(void **state)
{
	struct calibrate_pair p = plausible();

	(void)state;
	p.least_transfer_ps = 38000;
	p.most_transfer_ps = 70000;
	assert_null(calibrate_contradiction(&p));
	p.most_transfer_ps = 160000;
	assert_non_null(strstr(calibrate_contradiction(&p), "distance"));
}

static void a_machine_that_others_use_is_noticed(void **state)
{
	struct calibrate_pair p = plausible();

	(void)state;
	assert_false(calibrate_was_busy(&p));
	p.lost = 0.03; /* what a quiet machine's own business takes */
	assert_false(calibrate_was_busy(&p));
	p.lost = 0.4;
	assert_true(calibrate_was_busy(&p));
}

static void add(struct calibrate_report *r, double transfer, double shared)
{
	struct calibrate_pair p = plausible();

	p.distance = DIST_CACHE;
	p.transfer_ps = p.nearest_ps = p.farthest_ps = transfer;
	p.shared_ps[PRS_KIND_ATOMIC] = shared;
	vec_push(&r->pairs, p);
}

/* Where the topology distinguishes no distances: the one pair that is hardware threads of a core. */
static void pairs_of_one_distance_that_are_near_and_far_are_kept_apart(void **state)
{
	struct calibrate_report r = {.pairs = VEC_INIT, .moved = VEC_INIT};
	struct platform p = {.n_cores = 0};

	(void)state;
	add(&r, 160000, 30000);
	add(&r, 30000, 9000);
	add(&r, 150000, 29000);
	calibrate_fill(&p, &r);
	assert_int_equal(r.pairs.n, 2);
	assert_int_equal(r.moved.n, 1);
	assert_int_equal(p.transfer_ps[DIST_CACHE], 155000);
	assert_int_equal(p.price[PRS_KIND_ATOMIC].shared_ps[DIST_CACHE], 29500);
	assert_int_equal(p.moved_transfer_ps[DIST_CACHE], 30000);
	assert_int_equal(p.moved_price[PRS_KIND_ATOMIC].shared_ps[DIST_CACHE], 9000);
	assert_int_equal(p.transfer_ps[DIST_SMT], 0);
	calibrate_report_release(&r);
}

static void a_pair_seen_elsewhere_needs_prices_of_both(void **state)
{
	struct calibrate_report r = {.pairs = VEC_INIT, .moved = VEC_INIT};
	struct calibrate_pair other = plausible();

	(void)state;
	add(&r, 30000, 9000);
	assert_false(calibrate_half_known(&r, &r.pairs.at[0]));
	r.pairs.at[0].farthest_ps = 150000;
	assert_true(calibrate_half_known(&r, &r.pairs.at[0]));
	other.distance = DIST_CACHE;
	other.transfer_ps = 155000;
	vec_push(&r.moved, other);
	assert_false(calibrate_half_known(&r, &r.pairs.at[0]));
	calibrate_report_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plausible_prices_pass),
		cmocka_unit_test(a_locked_increment_is_no_cheaper_than_a_plain_one),
		cmocka_unit_test(cores_that_move_are_noticed),
		cmocka_unit_test(a_look_at_another_distance_is_noticed),
		cmocka_unit_test(a_machine_that_others_use_is_noticed),
		cmocka_unit_test(pairs_of_one_distance_that_are_near_and_far_are_kept_apart),
		cmocka_unit_test(a_pair_seen_elsewhere_needs_prices_of_both),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
