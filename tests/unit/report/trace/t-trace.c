/* SPDX-License-Identifier: MIT */
/* Figures of a trace whose every tick is known, and how they are compared with the record.  1 tick is 0.5 ns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/trace/trace.h"
#include "tests/unit/record/build-trace.h"

enum { OUTER, INNER, ALONE, N_SITES };

struct fixture {
	char *dir;
	struct run run;
	struct trace_figures f;
};

/* A record of one thread that timed these calls: ten of OUTER with two of INNER inside, five ALONE. */
static void make_record(const char *dir, uint64_t alone)
{
	struct prs_module mod = build_module();
	struct prs_unit unit = {.unit_id = 0xaa, .n_calls = N_SITES, .base = 256};
	struct prs_thread thread = {.creator = PRS_NO_THREAD, .create_site = PRS_NO_SITE, .start_tsc = 1000};
	struct prs_call calls[] = {
		{.site = OUTER, .parent = PRS_NO_SITE, .count = 10, .timed = 10, .sum = 10000, .period = 1},
		{.site = INNER, .parent = OUTER, .count = 20, .timed = 20, .sum = 4000, .period = 1},
		{.site = ALONE,
		 .parent = PRS_NO_SITE,
		 .count = alone,
		 .timed = alone,
		 .sum = 100 * alone,
		 .period = 1}};
	struct prec r;

	prec_start(&r, 100);
	prec_chunk(&r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	prec_chunk(&r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	thread.block = prec_chunk(&r, PRS_CHUNK_BLOCK, 0, NULL, 0, 0, 1);
	prec_chunk(&r, PRS_CHUNK_THREAD, PRS_NO_THREAD, &thread, sizeof(thread), 1, 1);
	prec_chunk(&r, PRS_CHUNK_CALL, 0, calls, sizeof(calls[0]), 3, 1);
	prec_header(&r)->n_threads = prec_header(&r)->n_units = 1;
	prec_header(&r)->n_calls = N_SITES;
	prec_header(&r)->pair_ticks = 30;
	prec_header(&r)->own_ticks = 10;
	prec_save(&r, dir);
	build_manifest(dir, "exited", 0, NULL);
}

/* Each OUTER takes 1000 ticks with two INNER of 200; then five ALONE of 100. */
static void make_trace(const char *dir, const char *meta)
{
	struct ctf_build b = {0};
	uint64_t at = 2000;

	ctf_metadata(dir, meta);
	ctf_begin(&b, 0, 0);
	for (int i = 0; i < 10; i++, at += 1100) {
		ctf_call(&b, INNER, at + 100, at + 300);
		ctf_call(&b, INNER, at + 400, at + 600);
		ctf_call(&b, OUTER, at, at + 1000);
	}
	for (int i = 0; i < 5; i++, at += 150)
		ctf_call(&b, ALONE, at, at + 100);
	ctf_save(&b, dir, "100.0.0");
}

static int open_with(void **state, uint64_t alone, const char *meta)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err = ERR_INIT;

	f->dir = build_dir();
	make_record(f->dir, alone);
	make_trace(f->dir, meta);
	if (run_open(&f->run, f->dir, &err) || trace_read(&f->f, &f->run, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return -1;
	}
	*state = f;
	return 0;
}

static int agreeing(void **state)
{
	return open_with(state, 5, BUILD_TRACE_STATE("complete"));
}

static int lacking(void **state)
{
	return open_with(state, 7, BUILD_TRACE_STATE("complete"));
}

static int cut_short(void **state)
{
	return open_with(state, 5, BUILD_TRACE_STATE("disk full"));
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	trace_release(&f->f);
	run_close(&f->run);
	build_remove(f->dir);
	free(f);
	return 0;
}

static const struct trace_site *site(const struct fixture *f, uint32_t number)
{
	for (size_t i = 0; i < f->f.n_sites; i++)
		if (f->f.sites[i].site == number)
			return &f->f.sites[i];
	fail();
	return NULL;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static void counts_every_call(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(site(f, OUTER)->calls, 10);
	assert_int_equal(site(f, INNER)->calls, 20);
	assert_int_equal(site(f, ALONE)->calls, 5);
	assert_int_equal(f->f.calls, 35);
	assert_int_equal(site(f, INNER)->min, 200);
	assert_int_equal(site(f, OUTER)->max, 1000);
}

/* 10 calls of 1000, 20 calls inside at 200 each, of which 30 are paid for by those round them, 10 by themselves. */
static void takes_the_price_of_probes_off(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(site(f, OUTER)->direct, 20);
	assert_int_equal(site(f, OUTER)->inside, 20);
	assert_int_equal(site(f, OUTER)->child, 4000);
	assert_true(near(trace_total_ns(site(f, OUTER)), (10000 - 20 * 30 - 10 * 10) * 0.5));
	assert_true(near(trace_self_ns(site(f, OUTER)), (10000 - 4000 - 20 * 20 - 10 * 10) * 0.5));
	assert_true(near(trace_self_ns(site(f, INNER)), (4000 - 20 * 10) * 0.5));
	assert_true(near(trace_total_ns(site(f, ALONE)), (500 - 5 * 10) * 0.5));
}

static void agrees_with_the_record(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->f.compared, 3);
	assert_int_equal(f->f.differ, 0);
	assert_int_equal(f->f.missing, 0);
	assert_true(trace_whole(&f->f));
}

static void says_which_calls_are_missing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->f.differ, 1);
	assert_int_equal(f->f.missing, 2);
	assert_false(trace_whole(&f->f));
}

static void says_that_it_ended_early(void **state)
{
	struct fixture *f = *state;

	assert_true(f->f.ended_early);
	assert_false(trace_whole(&f->f));
}

static void shows_calls_in_the_order_they_began(void **state)
{
	struct fixture *f = *state;
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool whole;

	assert_int_equal(trace_timeline(&f->run, 4, &out, &whole, &err), 0);
	assert_true(whole);
	assert_non_null(strstr(out.s, "500 ns    500 ns  100.0  site 0\n"));
	assert_non_null(strstr(out.s, "550 ns    100 ns  100.0    site 1\n"));
	assert_non_null(strstr(out.s, "700 ns    100 ns  100.0    site 1\n"));
	assert_non_null(strstr(out.s, "1.05 us    500 ns  100.0  site 0\n"));
	assert_true(strstr(out.s, "550 ns") < strstr(out.s, "700 ns"));
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_every_call, agreeing, tear_down),
		cmocka_unit_test_setup_teardown(takes_the_price_of_probes_off, agreeing, tear_down),
		cmocka_unit_test_setup_teardown(agrees_with_the_record, agreeing, tear_down),
		cmocka_unit_test_setup_teardown(says_which_calls_are_missing, lacking, tear_down),
		cmocka_unit_test_setup_teardown(says_that_it_ended_early, cut_short, tear_down),
		cmocka_unit_test_setup_teardown(shows_calls_in_the_order_they_began, agreeing, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
