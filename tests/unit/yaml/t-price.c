/* SPDX-License-Identifier: MIT */
/* What an access to a shared line costs, from the points that were measured. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "yaml/platform.h"

#define HEAD                                                                                                 \
	"perseus: platform\nversion: 1\nname: \"x\"\n"                                                       \
	"cores:\n  - {id: 0, package: 0, cache_group: 0, physical: 0, domain: 0, usable: true}\n"            \
	"  - {id: 1, package: 0, cache_group: 0, physical: 1, domain: 0, usable: true}\n"                    \
	"steps:\n  - {khz: 4000000}\nenergy_known: false\ncan_halt: false\nslice_ns: 4000000\nprice:\n"

static const char with_gaps[] =
	HEAD "  store: {alone_ps: 200, shared_ps: {cache: 200}}\n"
	     "  rmw: {alone_ps: 250, shared_ps: {cache: 1000}, extra_2ns_ps: {cache: 2500}, "
	     "extra_6ns_ps: {cache: 6500}, extra_20ns_ps: {cache: 10000}, extra_60ns_ps: {cache: 24000}, "
	     "extra_200ns_ps: {cache: 35000}}\n"
	     "  atomic: {alone_ps: 2000, shared_ps: {cache: 8000}, extra_2ns_ps: {cache: 5500}, "
	     "extra_6ns_ps: {cache: 1}, extra_20ns_ps: {cache: 1}, extra_60ns_ps: {cache: 1}, "
	     "extra_200ns_ps: {cache: 1}}\n"
	     "  load: {alone_ps: 100, shared_ps: {cache: 300}}\n"
	     "transfer_ps: {cache: 50000}\n";

static void open_platform(struct platform *p, const char *text)
{
	struct err err = ERR_INIT;

	if (platform_parse(p, text, strlen(text), "test", &err))
		fail_msg("%s", err.msg);
}

static uint64_t cost(const struct platform *p, enum prs_kind kind, uint64_t own, uint64_t other)
{
	struct platform_visitor a = {kind, own}, b = {kind, other};

	return platform_conflict_ps(p, DIST_CACHE, &a, &b);
}

static void points_are_met_and_joined(void **state)
{
	struct platform p;

	(void)state;
	open_platform(&p, with_gaps);
	assert_int_equal(cost(&p, PRS_KIND_RMW, 0, 0), 750);
	assert_int_equal(cost(&p, PRS_KIND_RMW, 250, 250), 750);
	assert_int_equal(cost(&p, PRS_KIND_RMW, 2000, 2000), 2500);
	assert_int_equal(cost(&p, PRS_KIND_RMW, 13000, 13000), 8250);
	assert_int_equal(cost(&p, PRS_KIND_RMW, 200000, 200000), 35000);
	assert_int_equal(cost(&p, PRS_KIND_RMW, 5000000, 5000000), 35000);
	/* Next to the full rate the share of time stays: 3 times the gap, up to the first point. */
	assert_int_equal(cost(&p, PRS_KIND_RMW, 500, 500), 1500);
	/* Work that hides the line's travel is free. */
	assert_int_equal(cost(&p, PRS_KIND_ATOMIC, 60000, 60000), 1);
	platform_release(&p);
}

static void who_comes_seldom_disturbs_seldom(void **state)
{
	struct platform p;
	uint64_t even, seldom;

	(void)state;
	open_platform(&p, with_gaps);
	even = cost(&p, PRS_KIND_RMW, 20000, 20000);
	seldom = cost(&p, PRS_KIND_RMW, 20000, 20000000);
	assert_int_equal(even, 10000);
	assert_in_range(seldom, 70, 80); /* one transfer for each visit of the other: 50000 x 30/20035 */
	/* The seldom one always finds the line gone, as if the other came as seldom. */
	assert_int_equal(cost(&p, PRS_KIND_RMW, 20000000, 20000), 35000);
	platform_release(&p);
}

/* Among frequent ones who comes less often than the other waits longer than among equals. */
static void who_comes_less_often_waits_longer(void **state)
{
	struct platform p;
	uint64_t even, less;

	(void)state;
	open_platform(&p, with_gaps);
	even = cost(&p, PRS_KIND_RMW, 20000, 20000);
	less = cost(&p, PRS_KIND_RMW, 20000, 500);
	assert_true(less > 4 * even / 3 && less <= 35000);
	/* At full rate the other has no time to take the line between two accesses. */
	assert_in_range(cost(&p, PRS_KIND_RMW, 500, 250), 1500, 1500 + 35000 / 20);
	platform_release(&p);
}

/* Who comes often loses the line once for each time that the other comes. */
static void who_comes_often_loses_it_as_often_as_the_other_comes(void **state)
{
	struct platform p;

	(void)state;
	open_platform(&p, with_gaps);
	/* 1.6 transfers each 113 + 29 ns, of which a gap of 0.8 has its part. */
	assert_in_range(cost(&p, PRS_KIND_RMW, 800, 113000), 420, 500);
	platform_release(&p);
}

static uint64_t said(const struct platform *p, enum prs_kind kind, uint64_t own, uint64_t other)
{
	struct platform_visitor a = {kind, own}, b = {kind, other};

	return platform_sharing_ps(p, DIST_CACHE, &a, &b);
}

/* Findings: a loss is one travel, less what own work goes on meanwhile. */
static void what_own_work_hides_of_a_loss_is_not_paid(void **state)
{
	struct platform p;

	(void)state;
	open_platform(&p, with_gaps);
	/* 50 - 0.8 ns each 113 + 29 ns, of which a gap of 0.8 has its part. */
	assert_in_range(said(&p, PRS_KIND_RMW, 800, 113000), 250, 290);
	/* Where nothing is paid at long gaps, next to nothing remains of a loss, beside the old law's 80. */
	assert_in_range(said(&p, PRS_KIND_ATOMIC, 4000, 200000), 880, 930);
	p.price[PRS_KIND_ATOMIC].extra_ps[3][DIST_CACHE] = 9000;
	assert_true(said(&p, PRS_KIND_ATOMIC, 60000, 900000) <= 600);
	/* Equals pay what was measured of equals, and nearly equals hardly less. */
	for (uint64_t gap = 250; gap < 300000; gap *= 2)
		assert_int_equal(said(&p, PRS_KIND_RMW, gap, gap), cost(&p, PRS_KIND_RMW, gap, gap));
	assert_in_range(said(&p, PRS_KIND_RMW, 20000, 21000), 9000, 10000);
	platform_release(&p);
}

/* Prices are of two that do the same. */
static void unlike_accesses_cost_less(void **state)
{
	struct platform_visitor rmw = {PRS_KIND_RMW, 6000}, atomic = {PRS_KIND_ATOMIC, 6000},
				load = {PRS_KIND_LOAD, 6000};
	struct platform_visitor store = {PRS_KIND_STORE, 6000};
	struct platform p;
	uint64_t like;

	(void)state;
	open_platform(&p, with_gaps);
	like = platform_conflict_ps(&p, DIST_CACHE, &rmw, &rmw);
	assert_in_range(platform_conflict_ps(&p, DIST_CACHE, &rmw, &atomic), like / 2, like * 2 / 3);
	like = platform_conflict_ps(&p, DIST_CACHE, &load, &load);
	assert_true(platform_conflict_ps(&p, DIST_CACHE, &load, &store) < like / 5);
	/* With a lot of other work between, what it does at the line hardly matters. */
	rmw.gap_ps = atomic.gap_ps = 200000;
	assert_int_equal(platform_conflict_ps(&p, DIST_CACHE, &rmw, &rmw),
			 platform_conflict_ps(&p, DIST_CACHE, &rmw, &atomic));
	platform_release(&p);
}

static const char with_pairs[] =
	HEAD "  rmw: {alone_ps: 250, shared_ps: {cache: 1000}, extra_2ns_ps: {cache: 2500}, "
	     "beside_atomic_0ns_ps: {cache: 100}, beside_atomic_2ns_ps: {cache: 400}, "
	     "beside_atomic_20ns_ps: {cache: 4000}, beside_atomic_60ns_ps: {cache: 9000}}\n"
	     "  atomic: {alone_ps: 2000, shared_ps: {cache: 8000}, beside_rmw_0ns_ps: {cache: 3000}, "
	     "beside_rmw_2ns_ps: {cache: 2500}, beside_rmw_20ns_ps: {cache: 1000}, beside_rmw_60ns_ps: "
	     "{cache: 1}}\n"
	     "  load: {alone_ps: 100, shared_ps: {cache: 300}, extra_2ns_ps: {cache: 700}}\n";

static void pairs_that_were_measured_have_prices_of_their_own(void **state)
{
	struct platform_visitor rmw = {PRS_KIND_RMW, 20000}, atomic = {PRS_KIND_ATOMIC, 20000},
				load = {PRS_KIND_LOAD, 2000};
	struct platform p;

	(void)state;
	open_platform(&p, with_pairs);
	assert_true(platform_beside_known(&p, DIST_CACHE, PRS_KIND_RMW, PRS_KIND_ATOMIC));
	assert_int_equal(platform_sharing_ps(&p, DIST_CACHE, &rmw, &atomic), 4000);
	assert_int_equal(platform_sharing_ps(&p, DIST_CACHE, &atomic, &rmw), 1000);
	rmw.gap_ps = atomic.gap_ps = 40000;
	assert_int_equal(platform_sharing_ps(&p, DIST_CACHE, &rmw, &atomic), 6500);
	rmw.gap_ps = atomic.gap_ps = 0;
	assert_int_equal(platform_sharing_ps(&p, DIST_CACHE, &rmw, &atomic), 100);
	assert_int_equal(platform_sharing_ps(&p, DIST_CACHE, &atomic, &rmw), 3000);
	/* The planner keeps to what is derived, and so does who has no price of the pair. */
	assert_int_equal(platform_conflict_ps(&p, DIST_CACHE, &rmw, &atomic), 375);
	assert_false(platform_beside_known(&p, DIST_CACHE, PRS_KIND_RMW, PRS_KIND_LOAD));
	rmw.gap_ps = 2000;
	assert_int_equal(platform_sharing_ps(&p, DIST_CACHE, &load, &rmw),
			 platform_conflict_ps(&p, DIST_CACHE, &load, &rmw));
	platform_release(&p);
}

/* Between the two longest gaps by what was measured there, or else as beside the same kind; and no farther. */
static void prices_of_pairs_go_on_to_the_longest_gap(void **state)
{
	static const char last[] = HEAD
		"  rmw: {alone_ps: 250, shared_ps: {cache: 1000}, extra_2ns_ps: {cache: 2500}, "
		"extra_60ns_ps: {cache: 10000}, extra_200ns_ps: {cache: 30000}, "
		"beside_atomic_0ns_ps: {cache: 100}, beside_atomic_2ns_ps: {cache: 400}, "
		"beside_atomic_20ns_ps: {cache: 4000}, beside_atomic_60ns_ps: {cache: 9000}%s}\n"
		"  atomic: {alone_ps: 2000, shared_ps: {cache: 8000}, beside_rmw_0ns_ps: {cache: 3000}, "
		"beside_rmw_2ns_ps: {cache: 2500}, beside_rmw_20ns_ps: {cache: 1000}, beside_rmw_60ns_ps: "
		"{cache: 1}}\n";
	static const struct {
		const char *more;
		uint64_t half, far;
	} cases[] = {{"", 18000, 27000}, {", beside_atomic_200ns_ps: {cache: 45000}", 27000, 45000}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct platform_visitor rmw = {PRS_KIND_RMW, 130000}, atomic = {PRS_KIND_ATOMIC, 130000};
		struct platform p;
		char text[2048];

		snprintf(text, sizeof(text), last, cases[i].more);
		open_platform(&p, text);
		assert_true(platform_beside_known(&p, DIST_CACHE, PRS_KIND_RMW, PRS_KIND_ATOMIC));
		assert_int_equal(platform_sharing_ps(&p, DIST_CACHE, &rmw, &atomic), cases[i].half);
		rmw.gap_ps = atomic.gap_ps = 200000;
		assert_int_equal(platform_sharing_ps(&p, DIST_CACHE, &rmw, &atomic), cases[i].far);
		rmw.gap_ps = atomic.gap_ps = 500000;
		assert_int_equal(platform_sharing_ps(&p, DIST_CACHE, &rmw, &atomic), cases[i].far);
		platform_release(&p);
	}
}

/* Half way to the first gap no price is above both its neighbours'. */
static void prices_of_pairs_are_joined_up_to_the_full_rate(void **state)
{
	struct platform_visitor rmw = {PRS_KIND_RMW, 1000}, atomic = {PRS_KIND_ATOMIC, 1000};
	struct platform p;

	(void)state;
	open_platform(&p, with_pairs);
	assert_in_range(platform_sharing_ps(&p, DIST_CACHE, &rmw, &atomic), 100, 400);
	assert_int_equal(platform_sharing_ps(&p, DIST_CACHE, &atomic, &rmw), 3000);
	platform_release(&p);
}

static void files_without_gaps_hold_a_thread_up_for_the_same_share(void **state)
{
	struct platform p;

	(void)state;
	open_platform(&p, with_gaps);
	assert_int_equal(cost(&p, PRS_KIND_LOAD, 1000, 1000), 2000);
	assert_int_equal(cost(&p, PRS_KIND_LOAD, 1000000, 1000000), 50000); /* one transfer */
	assert_int_equal(cost(&p, PRS_KIND_STORE, 1000, 1000), 0);
	platform_release(&p);
}

static void other_distances_stand_in(void **state)
{
	struct platform_visitor v = {PRS_KIND_RMW, 20000};
	struct platform p;

	(void)state;
	open_platform(&p, with_gaps);
	assert_int_equal(platform_conflict_ps(&p, DIST_REMOTE, &v, &v), 10000);
	assert_int_equal(platform_conflict_ps(&p, DIST_SMT, &v, &v), 10000);
	memset(p.price, 0, sizeof(p.price));
	assert_int_equal(platform_conflict_ps(&p, DIST_CACHE, &v, &v), 0);
	platform_release(&p);
}

static void gaps_survive_a_round(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct platform p, again;
	struct err err = ERR_INIT;

	(void)state;
	open_platform(&p, with_gaps);
	platform_text(&p, &text);
	assert_non_null(strstr(text.s, "extra_200ns_ps: {cache: 35000}"));
	if (platform_parse(&again, text.s, text.len, "again", &err))
		fail_msg("%s", err.msg);
	for (int g = 0; g < PRICE_GAPS; g++)
		assert_int_equal(again.price[PRS_KIND_RMW].extra_ps[g][DIST_CACHE],
				 p.price[PRS_KIND_RMW].extra_ps[g][DIST_CACHE]);
	assert_int_equal(platform_gap_ps(0), 2000);
	assert_int_equal(platform_gap_ps(PRICE_GAPS - 1), 200000);
	strbuf_release(&text);
	platform_release(&again);
	platform_release(&p);
}

/* The same machine at two times: near and far are both known, whichever came first. */
static void cores_that_moved_keep_both_prices(void **state)
{
	struct platform now, then, other;
	struct strbuf text = STRBUF_INIT;

	(void)state;
	open_platform(&now, with_gaps);
	open_platform(&then, with_gaps);
	then.transfer_ps[DIST_CACHE] = 160000;
	then.price[PRS_KIND_RMW].extra_ps[2][DIST_CACHE] = 50000;
	assert_false(platform_moves(&now));
	assert_true(platform_keep_moved(&now, &then));
	platform_text(&now, &text);
	assert_non_null(strstr(text.s, "moved_transfer_ps: {cache: 160000}"));
	platform_release(&then);
	open_platform(&then, text.s);
	assert_int_equal(then.transfer_ps[DIST_CACHE], 50000);
	assert_int_equal(cost(&then, PRS_KIND_RMW, 20000, 20000), 10000);
	other = platform_at_other_time(&then);
	assert_int_equal(other.transfer_ps[DIST_CACHE], 160000);
	assert_int_equal(cost(&other, PRS_KIND_RMW, 20000, 20000), 50000);
	strbuf_release(&text);
	platform_release(&then);
	platform_release(&now);
}

/* A third calibration finds one of the two: the other one stays. */
static void the_other_state_outlives_a_calibration(void **state)
{
	struct platform now, then;

	(void)state;
	open_platform(&now, with_gaps);
	open_platform(&then, with_gaps);
	then.moved_transfer_ps[DIST_CACHE] = 160000;
	assert_true(platform_keep_moved(&now, &then));
	assert_int_equal(now.moved_transfer_ps[DIST_CACHE], 160000);
	now.moved_transfer_ps[DIST_CACHE] = 0;
	now.transfer_ps[DIST_CACHE] = 150000;
	assert_true(platform_keep_moved(&now, &then));
	assert_int_equal(now.moved_transfer_ps[DIST_CACHE], 50000);
	platform_release(&then);
	platform_release(&now);
}

static void what_differs_little_did_not_move(void **state)
{
	struct platform now, then;

	(void)state;
	open_platform(&now, with_gaps);
	open_platform(&then, with_gaps);
	then.transfer_ps[DIST_CACHE] = 90000;
	then.transfer_ps[DIST_REMOTE] = 300000; /* of which the other knows nothing */
	assert_false(platform_keep_moved(&now, &then));
	platform_release(&then);
	platform_release(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_met_and_joined),
		cmocka_unit_test(who_comes_seldom_disturbs_seldom),
		cmocka_unit_test(who_comes_less_often_waits_longer),
		cmocka_unit_test(who_comes_often_loses_it_as_often_as_the_other_comes),
		cmocka_unit_test(what_own_work_hides_of_a_loss_is_not_paid),
		cmocka_unit_test(unlike_accesses_cost_less),
		cmocka_unit_test(pairs_that_were_measured_have_prices_of_their_own),
		cmocka_unit_test(prices_of_pairs_go_on_to_the_longest_gap),
		cmocka_unit_test(prices_of_pairs_are_joined_up_to_the_full_rate),
		cmocka_unit_test(files_without_gaps_hold_a_thread_up_for_the_same_share),
		cmocka_unit_test(other_distances_stand_in),
		cmocka_unit_test(gaps_survive_a_round),
		cmocka_unit_test(cores_that_moved_keep_both_prices),
		cmocka_unit_test(the_other_state_outlives_a_calibration),
		cmocka_unit_test(what_differs_little_did_not_move),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
