/* SPDX-License-Identifier: MIT */
/* Measuring: figures have the right order on any machine, and what cannot be measured is absent. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "lib/stats.h"
#include "platform/base/clock.h"
#include "platform/calibrate.h"
#include "platform/events/counters.h"
#include "platform/pingpong.h"

static cpu_set_t allowed;

static int remember_mask(void **state)
{
	(void)state;
	return sched_getaffinity(0, sizeof(allowed), &allowed);
}

static uint32_t nth_core(int n)
{
	for (uint32_t c = 0; c < CPU_SETSIZE; c++)
		if (CPU_ISSET(c, &allowed) && !n--)
			return c;
	return 0;
}

static void prices_have_the_right_order(void **state)
{
	struct calibrate_options options = {.quick = true};
	struct calibrate_report report;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct platform p, again;
	bool any = false, quiet = true;

	(void)state;
	if (CPU_COUNT(&allowed) < 2)
		skip();
	if (platform_calibrate(&p, &options, &report, &err))
		fail_msg("%s", err.msg);
	assert_true(p.trigger_ns > 0 && p.trigger_ns < 10000);
	assert_true(p.affinity_ns > p.trigger_ns);
	assert_false(p.energy_known);
	assert_true(report.pairs.n > 0);
	for (size_t i = 0; i < report.pairs.n; i++)
		quiet &= !report.pairs.at[i].noisy;
	for (int d = DIST_SMT; d < DIST_N; d++) {
		const struct platform_price *atomic = &p.price[PRS_KIND_ATOMIC],
					    *store = &p.price[PRS_KIND_STORE];

		if (!atomic->shared_ps[d])
			continue;
		any = true;
		assert_true(atomic->alone_ps > store->alone_ps);
		/* Two cores at one line with locked instructions: never for nothing, if they really met. */
		assert_true(!quiet || atomic->shared_ps[d] * 10 > atomic->alone_ps * 12);
		assert_true(p.transfer_ps[d] > 0 && p.migrate_ns[d] > 0);
		assert_int_equal(atomic->shared_ps[DIST_SAME], atomic->alone_ps);
	}
	assert_true(any);
	platform_text(&p, &text);
	if (platform_parse(&again, text.s, text.len, "calibrated.yaml", &err))
		fail_msg("%s", err.msg);
	platform_release(&again);
	strbuf_release(&text);
	platform_release(&p);
	calibrate_report_release(&report);
}

static void one_core_leaves_prices_unknown_and_says_so(void **state)
{
	struct calibrate_options options = {.quick = true};
	struct calibrate_report report;
	struct err err = ERR_INIT;
	struct platform p;
	bool said = false;
	cpu_set_t one;
	int ret;

	(void)state;
	CPU_ZERO(&one);
	CPU_SET(nth_core(0), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	ret = platform_calibrate(&p, &options, &report, &err);
	assert_int_equal(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
	if (ret)
		fail_msg("%s", err.msg);
	for (int kind = 0; kind < PRS_KIND_N; kind++)
		assert_int_equal(p.price[kind].alone_ps, 0);
	assert_int_equal(report.pairs.n, 0);
	for (size_t i = 0; i < report.notes.n; i++)
		said |= strstr(report.notes.at[i], "one core is usable") != NULL;
	assert_true(said);
	assert_true(p.steps[0].khz > 100000);
	platform_release(&p);
	calibrate_report_release(&report);
}

static void the_affinity_of_the_caller_is_left_alone(void **state)
{
	struct pingpong d;
	cpu_set_t now;

	(void)state;
	if (CPU_COUNT(&allowed) < 2)
		skip();
	assert_int_equal(pingpong_access(nth_core(0), nth_core(1), PRS_KIND_RMW, true, 200, &d, NULL), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &allowed));
}

static void a_core_that_does_not_exist_is_named(void **state)
{
	struct err err = ERR_INIT;
	double ns;
	struct pingpong d;

	(void)state;
	assert_int_equal(pingpong_access(nth_core(0), 60000, PRS_KIND_STORE, true, 200, &d, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "60000"));
	assert_int_equal(pingpong_transfer(60000, nth_core(0), 10, &d, &err), -EINVAL);
	assert_int_equal(pingpong_migrate(60000, nth_core(0), 4, &ns, &err), -EINVAL);
}

/*
 * Steady: five in a row.  On a machine whose host takes the core away that may need some
 * tries; where none of twenty is steady it cannot be told.
 */
static void the_core_frequency_is_believable_and_steady(void **state)
{
	const char *how = NULL;
	double khz[5];
	bool steady = false;

	(void)state;
	for (int try = 0; try < 20 && !steady; try++) {
		for (int i = 0; i < 5; i++)
			khz[i] = (double)clock_core_khz(&how);
		assert_non_null(how);
		assert_true(stats_median(khz, 5) > 200e3 && stats_median(khz, 5) < 10e6);
		steady = stats_spread(khz, 5) < 0.25;
	}
	if (!steady)
		skip();
	for (int i = 0; i < 5; i++)
		khz[i] = (double)clock_core_khz_quick();
	assert_in_range(clock_locked_ps_quick(), 300, 100000);
	assert_true(stats_median(khz, 5) > 200e3 && stats_median(khz, 5) < 10e6);
}

static void a_locked_access_takes_cycles(void **state)
{
	(void)state;
	assert_in_range(clock_locked_ps_quick(), 300, 100000);
}

static void the_clock_of_this_machine_advances(void **state)
{
	struct clock_facts f;

	(void)state;
	clock_facts(&f, "");
	assert_true(f.tsc_hz > 1e6 && f.tsc_hz < 1e11);
	assert_true(f.step_ns > 0 && f.step_ns < 1e5);
	assert_true(f.read_ns > 0 && f.read_ns < 1e5);
}

static void a_missing_source_of_facts_is_absent_not_zero(void **state)
{
	(void)state;
	assert_null(counters_sampling("/nonexistent"));
	assert_int_equal(counters_paranoid("/nonexistent"), COUNTERS_PARANOID_UNKNOWN);
	assert_false(counters_virtual("/nonexistent"));
}

static void medians_and_spreads(void **state)
{
	double odd[] = {3, 1, 2}, even[] = {4, 1, 2, 3}, same[] = {5, 5, 5, 5};

	(void)state;
	assert_true(stats_median(odd, 3) == 2);
	assert_true(stats_median(even, 4) == 2.5);
	assert_true(stats_median(NULL, 0) == 0);
	assert_true(stats_median(same, 4) == 5 && stats_spread(same, 4) == 0);
	assert_true(stats_spread(even, 4) > 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prices_have_the_right_order),
		cmocka_unit_test(one_core_leaves_prices_unknown_and_says_so),
		cmocka_unit_test(the_affinity_of_the_caller_is_left_alone),
		cmocka_unit_test(a_core_that_does_not_exist_is_named),
		cmocka_unit_test(the_core_frequency_is_believable_and_steady),
		cmocka_unit_test(a_locked_access_takes_cycles),
		cmocka_unit_test(the_clock_of_this_machine_advances),
		cmocka_unit_test(a_missing_source_of_facts_is_absent_not_zero),
		cmocka_unit_test(medians_and_spreads),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, remember_mask, NULL);
}
