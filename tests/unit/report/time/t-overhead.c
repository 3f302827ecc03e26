/* SPDX-License-Identifier: MIT */
/* What a recording is said to cost, on records made by hand.  1 tick is 1 ns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/time/overhead.h"

struct scene {
	struct prs_rec_header header;
	struct rec_call call;
	const struct rec_call *calls[1];
	uint64_t totals[1];
	struct prs_wait wait;
	struct run_thread thread;
	struct run_process process;
	struct run run;
	struct report_summary s;
};

/* A program of @cpu seconds that made @calls calls, @timed of them timed, and waited @waits times. */
static void make(struct scene *x, double cpu, uint64_t calls, uint64_t timed, uint64_t waits)
{
	*x = (struct scene){.header = {.minor = 1, .clock_ticks = 10, .pair_ticks = 25},
			    .call = {.timed = timed}};
	x->calls[0] = &x->call;
	x->totals[0] = calls;
	x->wait.count = waits;
	x->thread = (struct run_thread){
		.calls = x->calls, .totals = x->totals, .n_calls = 1, .waits = &x->wait, .n_waits = 1};
	x->process = (struct run_process){
		.header = &x->header, .threads = &x->thread, .n_threads = 1, .ns_per_tick = 1};
	x->run = (struct run){.processes = &x->process, .n_processes = 1};
	x->run.manifest.user_ns = (uint64_t)(cpu * 1e9);
	x->run.manifest.recorder_ns = 40000000;
	x->run.manifest.syscall_ns = 500;
	x->s = (struct report_summary){.run = &x->run};
	overhead_collect(&x->s);
}

static void the_start_is_in_it(void **state)
{
	struct scene x;

	(void)state;
	make(&x, 0.1, 10, 10, 0);
	assert_true(x.s.cost.known && x.s.cost.low > 0.38);
	assert_true(overhead_high(&x.s));
}

static void a_long_quiet_run_is_good(void **state)
{
	struct scene x;

	(void)state;
	make(&x, 10, 1000, 1000, 10);
	assert_true(x.s.cost.estimate < 0.03 && x.s.cost.high < 0.1);
	assert_false(overhead_high(&x.s));
}

/* How much longer threads ran: by what they do, not by what it takes to start. */
static void the_start_makes_no_thread_slower(void **state)
{
	struct scene x;

	(void)state;
	make(&x, 0.1, 10, 10, 0);
	assert_true(overhead_longer(&x.s) < 1.05 && x.s.cost.high > 0.4);
	make(&x, 1, 20000000, 20000000, 0);
	assert_true(overhead_longer(&x.s) > 1.2);
	assert_true(overhead_longer(&x.s) < 1 + x.s.cost.high);
	make(&x, 0, 0, 0, 0); /* not seen to end */
	assert_true(overhead_longer(&x.s) == 1);
}

static void waits_that_ask_the_system_cost(void **state)
{
	struct scene none, many;

	(void)state;
	make(&none, 1, 1000, 1000, 0);
	make(&many, 1, 1000, 1000, 200000);
	assert_true(many.s.cost.low > none.s.cost.low + 0.1);
	assert_true(overhead_high(&many.s));
}

static void the_interval_holds_the_estimate(void **state)
{
	struct scene x;

	(void)state;
	for (uint64_t timed = 1; timed < 1000000000; timed *= 10) {
		make(&x, 2, 10 * timed, timed, timed / 100);
		assert_true(x.s.cost.low <= x.s.cost.estimate && x.s.cost.estimate <= x.s.cost.high);
		assert_true(x.s.cost.low >= 0);
	}
}

static void the_plain_time_is_what_is_left(void **state)
{
	struct scene x;

	(void)state;
	make(&x, 2, 20000000, 20000000, 0); /* a pair each 100 ns */
	assert_true(x.s.cost.estimate > 0.3);
}

/* Hits leave no trace: what they cost at most. */
static void memory_probes_widen_the_interval(void **state)
{
	struct scene x;
	double asleep;

	(void)state;
	make(&x, 2, 100, 100, 0);
	x.s.sharing = true;
	overhead_collect(&x.s);
	asleep = x.s.cost.high;
	assert_false(overhead_high(&x.s));
	x.thread.n_notes = 60000;
	overhead_collect(&x.s);
	assert_true(asleep < 0.1 && x.s.cost.high > 5);
	assert_true(x.s.cost.estimate < 0.1);
	assert_true(overhead_high(&x.s));
}

/* A quarter of the looks found the runtime: no count of what it did says so. */
static void looks_at_the_program_decide(void **state)
{
	struct scene x;
	double few;

	(void)state;
	make(&x, 2, 100, 100, 0);
	assert_true(x.s.cost.estimate < 0.05);
	x.run.manifest.samples = 2000;
	x.run.manifest.samples_runtime = 500;
	overhead_collect(&x.s);
	assert_true(x.s.cost.estimate > 0.33 && x.s.cost.estimate < 0.48);
	assert_true(x.s.cost.low > 0.25 && x.s.cost.high < 0.7);
	few = x.s.cost.high;
	x.run.manifest.samples = 40;
	x.run.manifest.samples_runtime = 10;
	overhead_collect(&x.s);
	assert_true(x.s.cost.high > few + 0.1);
}

/* No-ops take next to nothing while the core waits, and their part of the time where it is full. */
static void probes_at_rest_may_cost_nothing_or_all(void **state)
{
	struct scene x;

	(void)state;
	make(&x, 2, 100, 100, 0);
	x.run.manifest.samples = 2000;
	overhead_collect(&x.s);
	assert_true(x.s.cost.estimate < 0.05);
	x.run.manifest.samples_resting = 400;
	overhead_collect(&x.s);
	assert_true(x.s.cost.estimate > 0.04 && x.s.cost.estimate < 0.1);
	assert_true(x.s.cost.low < 0.04 && x.s.cost.high > 0.25);
	assert_true(overhead_high(&x.s));
}

static void probes_that_watch_in_the_text_count(void **state)
{
	struct scene x;

	(void)state;
	make(&x, 2, 100, 100, 0);
	x.run.manifest.samples = 2000;
	x.run.manifest.samples_watching = 1000;
	overhead_collect(&x.s);
	assert_true(x.s.cost.estimate < 0.05); /* no memory probe is enabled in a timing run */
	x.s.sharing = true;
	overhead_collect(&x.s);
	assert_true(x.s.cost.estimate > 0.7 && x.s.cost.estimate < 1.1);
	assert_true(x.s.cost.low < 0.6 && x.s.cost.high > 1.1);
}

/* However many there were: what they cost is seen by the looks behind them. */
static void counted_calls_are_looked_at(void **state)
{
	double few, many;
	struct scene x;

	(void)state;
	make(&x, 2, 100000000, 0, 0);
	x.run.manifest.samples = x.run.manifest.samples_taken = 2000;
	overhead_collect(&x.s);
	few = x.s.cost.estimate;
	x.run.manifest.samples_counting = 800;
	overhead_collect(&x.s);
	many = x.s.cost.estimate;
	assert_true(few < 0.05);
	assert_true(many > few + 0.08 && many < 0.3);
}

static void the_looks_themselves_cost(void **state)
{
	double plain;
	struct scene x;

	(void)state;
	make(&x, 2, 100, 100, 0);
	x.run.manifest.samples = x.run.manifest.samples_taken = 2000;
	overhead_collect(&x.s);
	plain = x.s.cost.estimate;
	x.run.manifest.sample_ns = 20000;
	overhead_collect(&x.s);
	assert_true(x.s.cost.estimate > plain + 0.018 && x.s.cost.estimate < plain + 0.023);
	x.run.manifest.sample_ns = UINT64_MAX; /* a damaged manifest */
	overhead_collect(&x.s);
	assert_true(x.s.cost.estimate < 20);
}

/* A trace may have thrown out what the program waits for, unless it waits for nothing. */
static void a_trace_that_went_through_the_caches_may_cost(void **state)
{
	struct report_overhead without;
	struct scene x;

	(void)state;
	make(&x, 2, 100, 100, 0);
	x.run.manifest.samples = x.run.manifest.samples_taken = 2000;
	x.run.manifest.samples_runtime = 1000;
	overhead_collect(&x.s);
	without = x.s.cost;
	x.run.manifest.trace_bytes = 1000000000;
	overhead_collect(&x.s);
	assert_true(x.s.cost.high == without.high && x.s.cost.estimate == without.estimate);
	x.run.manifest.samples_loading = 800;
	overhead_collect(&x.s);
	assert_true(x.s.cost.estimate > 1.3 * without.estimate);
	assert_true(x.s.cost.high > 2 * without.high);
	x.run.manifest.trace_bytes = 10000;
	overhead_collect(&x.s);
	assert_true(x.s.cost.estimate < 1.01 * without.estimate);
}

static void what_is_reckoned_is_no_more_than_what_was_measured(void **state)
{
	struct scene x;

	(void)state;
	make(&x, 2, 100, 100, 0);
	x.s.overhead = x.s.budget.measured = 0.5;
	overhead_collect(&x.s);
	assert_true(x.s.overhead == 0.5 && x.s.budget.measured == 0.5);
	x.run.manifest.samples = x.run.manifest.samples_taken = 2000;
	overhead_collect(&x.s);
	assert_true(x.s.overhead <= x.s.cost.estimate && x.s.overhead > 0);
	assert_true(x.s.budget.measured <= x.s.cost.high && x.s.budget.measured > x.s.overhead);
}

static void a_very_short_run_is_told_in_times(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct scene x;

	(void)state;
	make(&x, 0.01, 10, 10, 0);
	overhead_text(&x.s, &out);
	assert_non_null(strstr(out.s, "times the plain CPU time"));
	assert_non_null(strstr(out.s, "of it to start"));
	assert_null(strstr(out.s, "%"));
	strbuf_release(&out);
}

/* Of a run of short calls only: what the probes hid, or held up, decides; then only both ends are told. */
static void a_wide_interval_has_no_middle(void **state)
{
	struct strbuf out = STRBUF_INIT, exact = STRBUF_INIT;
	struct json j;
	struct scene x;

	(void)state;
	make(&x, 3, 100000000, 100000000, 0);
	assert_false(x.s.cost.close);
	overhead_text(&x.s, &out);
	assert_non_null(strstr(out.s, "times the plain CPU time, not known closer"));
	assert_null(strstr(out.s, "("));
	strbuf_release(&out);
	json_init(&j, &out);
	json_object(&j, NULL);
	overhead_json(&x.s, &j);
	json_end(&j);
	assert_non_null(strstr(out.s, "\"estimate\": null"));
	make(&x, 10, 1000, 1000, 10);
	assert_true(x.s.cost.close);
	overhead_text(&x.s, &exact);
	assert_null(strstr(exact.s, "closer"));
	strbuf_release(&out);
	strbuf_release(&exact);
}

/* Nearly all of the time went into pairs: the calls themselves took something. */
static void dense_calls_keep_their_own_time(void **state)
{
	struct scene x;

	(void)state;
	make(&x, 3, 100000000, 100000000, 0);
	assert_true(x.s.cost.high < 15 && x.s.cost.low > 0.5);
	assert_true(x.s.cost.low < x.s.cost.estimate && x.s.cost.estimate < x.s.cost.high);
}

static void a_program_without_an_end_is_not_known(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct scene x;

	(void)state;
	make(&x, 0, 100, 100, 0);
	assert_false(x.s.cost.known);
	overhead_text(&x.s, &out);
	assert_non_null(strstr(out.s, "not known"));
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_start_is_in_it),
		cmocka_unit_test(a_long_quiet_run_is_good),
		cmocka_unit_test(the_start_makes_no_thread_slower),
		cmocka_unit_test(waits_that_ask_the_system_cost),
		cmocka_unit_test(the_interval_holds_the_estimate),
		cmocka_unit_test(the_plain_time_is_what_is_left),
		cmocka_unit_test(memory_probes_widen_the_interval),
		cmocka_unit_test(looks_at_the_program_decide),
		cmocka_unit_test(probes_at_rest_may_cost_nothing_or_all),
		cmocka_unit_test(probes_that_watch_in_the_text_count),
		cmocka_unit_test(counted_calls_are_looked_at),
		cmocka_unit_test(the_looks_themselves_cost),
		cmocka_unit_test(a_trace_that_went_through_the_caches_may_cost),
		cmocka_unit_test(what_is_reckoned_is_no_more_than_what_was_measured),
		cmocka_unit_test(a_very_short_run_is_told_in_times),
		cmocka_unit_test(a_wide_interval_has_no_middle),
		cmocka_unit_test(dense_calls_keep_their_own_time),
		cmocka_unit_test(a_program_without_an_end_is_not_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
