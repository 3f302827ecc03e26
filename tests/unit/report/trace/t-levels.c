/* SPDX-License-Identifier: MIT */
/* Levels of detail of a trace whose every tick is known.  1 tick is 0.5 ns. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/trace/levels.h"
#include "tests/unit/record/build-trace.h"

enum { OUTER, INNER, N_SITES };

#define T0    1000u
#define TICKS 2000000u /* of the run: 1 ms */
#define PAIRS 1000u

static const char sites_text[] = "U\t1\t00000000000000aa\t2\t0\tGNU C17 12\tprog.c\t-\n"
				 "F\t0\tsrc/prog.c\n"
				 "N\t0\tmain\tmain\t0\t50\n"
				 "C\t0\t000000000000000a\t00000000\t0\touter\t0\t51\t1\t0\t-\t-\n"
				 "C\t1\t000000000000000b\t00000000\t0\tinner\t0\t52\t1\t0\t-\t-\n"
				 "Z\t00000000000000aa\n";

struct fixture {
	char *dir;
	struct run run;
	struct trace_levels l;
};

static void make_record(const char *dir)
{
	struct prs_module mod = build_module();
	struct prs_unit unit = {.unit_id = 0xaa, .n_calls = N_SITES, .base = 256};
	struct prs_thread thread = {
		.creator = PRS_NO_THREAD, .create_site = PRS_NO_SITE, .start_tsc = T0, .end_tsc = T0 + TICKS};
	struct prec r;

	prec_start(&r, 100);
	prec_chunk(&r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	prec_chunk(&r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	thread.block = prec_chunk(&r, PRS_CHUNK_BLOCK, 0, NULL, 0, 0, 1);
	prec_chunk(&r, PRS_CHUNK_THREAD, PRS_NO_THREAD, &thread, sizeof(thread), 1, 1);
	prec_header(&r)->n_threads = prec_header(&r)->n_units = 1;
	prec_header(&r)->n_calls = N_SITES;
	prec_header(&r)->tsc_end = T0 + TICKS;
	prec_header(&r)->mono_end_ns = prec_header(&r)->mono_start_ns + TICKS / 2;
	prec_save(&r, dir);
	build_manifest(dir, "exited", 0, sites_text);
}

/* PAIRS times OUTER for 1000 ticks with an INNER of 400; the one in the middle takes 1500 with 900. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct ctf_build b = {0};
	struct err err = ERR_INIT;

	f->dir = build_dir();
	make_record(f->dir);
	ctf_metadata(f->dir, BUILD_TRACE_STATE("complete"));
	ctf_begin(&b, 0, 0);
	for (uint64_t i = 0; i < PAIRS; i++) {
		uint64_t at = T0 + i * 2000, more = i == PAIRS / 2 ? 500 : 0;

		ctf_call(&b, INNER, at + 100, at + 500 + more);
		ctf_call(&b, OUTER, at, at + 1000 + more);
	}
	ctf_save(&b, f->dir, "100.0.0");
	if (run_open(&f->run, f->dir, &err))
		fail_msg("%s", err.msg);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	trace_levels_release(&f->l);
	run_close(&f->run);
	build_remove(f->dir);
	free(f);
	return 0;
}

static void read_levels(struct fixture *f, const double *at, size_t n, size_t max)
{
	struct err err = ERR_INIT;

	trace_levels_release(&f->l);
	if (trace_levels_read(&f->l, &f->run, at, n, max, &err))
		fail_msg("%s", err.msg);
}

static double in_bins(const struct fixture *f, const char *callee)
{
	double ns = 0;

	for (size_t i = 0; i < f->l.n_bins; i++)
		ns += !strcmp(f->l.bins[i].site->callee, callee) ? f->l.bins[i].ns : 0;
	return ns;
}

/* Self times: 600 ticks of OUTER, 400 of INNER, and 500 more of INNER once. */
static void bins_hold_all_time(void **state)
{
	struct fixture *f = *state;

	read_levels(f, NULL, 0, 100000);
	assert_true(f->l.whole);
	assert_int_equal(f->l.n_total, 2 * PAIRS);
	assert_true(fabs(f->l.end_ns - TICKS / 2.0) < 2);
	assert_true(fabs(in_bins(f, "outer") - PAIRS * 300.0) < PAIRS);
	assert_true(fabs(in_bins(f, "inner") - PAIRS * 200.0 - 250) < PAIRS);
}

static void a_short_trace_has_every_call(void **state)
{
	struct fixture *f = *state;

	read_levels(f, NULL, 0, 2 * PAIRS);
	assert_int_equal(f->l.n_windows, 1);
	assert_int_equal(f->l.n_calls, 2 * PAIRS);
}

static void the_slowest_come_first(void **state)
{
	struct fixture *f = *state;

	read_levels(f, NULL, 0, 100000);
	assert_int_equal(f->l.n_slow, 40);
	assert_string_equal(f->l.slow[0].site->callee, "outer");
	assert_true(fabs(f->l.slow[0].ns - 750) < 1);
	assert_true(fabs(f->l.slow[0].begin - PAIRS / 2 * 1000.0) < 2);
	assert_string_equal(f->l.slow[2].site->callee, "outer");
	assert_true(fabs(f->l.slow[2].ns - 500) < 1);
}

/* Of a long one: round what was asked for and round the slowest, and all calls there. */
static void windows_hold_what_is_asked_for(void **state)
{
	struct fixture *f = *state;
	const double at[] = {100000, 900000};
	bool found[3] = {false};
	size_t inside = 0;

	read_levels(f, at, 2, 320);
	assert_true(f->l.n_windows >= 3);
	for (size_t i = 0; i < f->l.n_windows; i++) {
		const struct level_window *w = &f->l.windows[i];

		found[0] |= w->begin <= at[0] && w->end >= at[0];
		found[1] |= w->begin <= at[1] && w->end >= at[1];
		found[2] |= w->begin <= 500500 && w->end >= 500500;
		for (uint64_t k = 0; k < PAIRS; k++)
			inside += (double)k * 1000 + 500 > w->begin && (double)k * 1000 < w->end;
	}
	assert_true(found[0] && found[1] && found[2]);
	assert_true(f->l.n_calls <= 2 * inside && f->l.n_calls >= 2 * inside - 2 * f->l.n_windows);
	assert_true(f->l.n_calls <= 640);
}

static void a_run_without_a_trace_has_none(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	struct strbuf path = STRBUF_INIT;

	strbuf_printf(&path, "rm -r '%s/trace'", f->dir);
	assert_int_equal(system(path.s), 0);
	strbuf_release(&path);
	assert_int_equal(trace_levels_read(&f->l, &f->run, NULL, 0, 100, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bins_hold_all_time, setup, teardown),
		cmocka_unit_test_setup_teardown(a_short_trace_has_every_call, setup, teardown),
		cmocka_unit_test_setup_teardown(the_slowest_come_first, setup, teardown),
		cmocka_unit_test_setup_teardown(windows_hold_what_is_asked_for, setup, teardown),
		cmocka_unit_test_setup_teardown(a_run_without_a_trace_has_none, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
