/* SPDX-License-Identifier: MIT */
/* Promised and measured overhead, on records made by hand.  1 tick is 1 ns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/time/budget.h"

#define CALLS 4

/* One thread of a second of CPU time: two costly sites, one sampled, one counted. */
struct scene {
	struct prs_rec_header header;
	struct rec_call call[CALLS];
	const struct rec_call *calls[CALLS];
	uint64_t totals[CALLS];
	struct run_thread thread;
	struct run_process process;
	struct report_thread line;
	struct run run;
	struct report_summary s;
	char name[4];
	struct row_list rows;
};

static void make(struct scene *x, uint32_t promised, uint32_t measured)
{
	static const struct {
		uint32_t period;
		uint64_t total, timed;
		double self_ns;
	} of[CALLS] = {
		{1, 100, 100, 5e8}, {1, 10, 10, 2e8}, {64, 64000, 1000, 2e8}, {4096, 10000000, 600, 1e8}};

	*x = (struct scene){.header = {.budget_ppm = promised,
				       .budget_measured_ppm = measured,
				       .n_calls = CALLS,
				       .clock_ticks = 10,
				       .pair_ticks = 25},
			    .name = "run",
			    .rows = VEC_INIT};
	for (uint32_t i = 0; i < CALLS; i++) {
		x->call[i] = (struct rec_call){.site = i, .period = of[i].period, .timed = of[i].timed};
		x->calls[i] = &x->call[i];
		x->totals[i] = of[i].total;
		vec_push(&x->rows, ((struct call_row){.process = &x->process,
						      .number = i,
						      .self_ns = of[i].self_ns,
						      .call = &x->call[i]}));
	}
	x->thread = (struct run_thread){.calls = x->calls, .totals = x->totals, .n_calls = CALLS};
	x->process = (struct run_process){
		.header = &x->header, .threads = &x->thread, .n_threads = 1, .ns_per_tick = 1};
	x->line = (struct report_thread){.process = &x->process, .cpu_known = true, .cpu_ns = 1e9};
	x->run = (struct run){.path = x->name, .processes = &x->process, .n_processes = 1};
	x->s = (struct report_summary){.run = &x->run, .threads = &x->line, .n_threads_listed = 1};
	budget_collect(&x->s, &x->rows);
}

static char *text_of(struct scene *x)
{
	struct strbuf out = STRBUF_INIT;

	budget_text(&x->s, &out);
	vec_release(&x->rows);
	return out.s ? out.s : strdup("");
}

static void near(double want, double got)
{
	if (fabs(want - got) > 1e-9)
		fail_msg("expected %.9g, found %.9g", want, got);
}

static void levels(void **state)
{
	struct scene x;
	char *text;

	(void)state;
	make(&x, 30000, 21000);
	near(0.03, x.s.budget.promised);
	near(0.021, x.s.budget.measured);
	assert_int_equal(2, x.s.budget.timed);
	assert_int_equal(1, x.s.budget.sampled);
	assert_int_equal(1, x.s.budget.counted);
	near(9e8, x.s.budget.seen_ns);
	near(1e8, x.s.budget.unseen_ns);
	assert_false(budget_broken(&x.s));
	text = text_of(&x);
	assert_string_equal(
		"          90.0 % of the time in calls is attributed: 2 sites timed, 1 site sampled, 1 site "
		"counted only\n",
		text);
	free(text);
}

/* 10,064,110 calls at 0.18 ns; 110 pairs of 25 ns and 1600 of 32.5. */
static void reckoned(void **state)
{
	struct scene x;

	(void)state;
	make(&x, 30000, 0);
	near((10064110 * 0.18) * 1e-9, x.s.budget.counting);
	near((110 * 25 + 1600 * 32.5) * 1e-9, x.s.budget.timing);
	near(x.s.budget.counting + x.s.budget.timing, x.s.budget.measured);
	vec_release(&x.rows);
}

static void reasons(void **state)
{
	struct scene x;
	char *text;

	(void)state;
	make(&x, 1000, 2000);
	assert_true(budget_broken(&x.s));
	text = text_of(&x);
	assert_non_null(strstr(text, "counting calls takes 0.2 % by itself"));
	assert_null(strstr(text, "start of the recording"));
	free(text);
	make(&x, 30000, 40000);
	text = text_of(&x);
	assert_non_null(strstr(text, "3.8 % went into the start of the recording"));
	assert_null(strstr(text, "counting calls takes"));
	free(text);
}

static void nothing(void **state)
{
	struct scene x;
	char *text;

	(void)state;
	make(&x, 0, 0);
	near(0, x.s.budget.promised);
	assert_int_equal(0, x.s.budget.timed);
	assert_false(budget_broken(&x.s));
	text = text_of(&x);
	assert_string_equal("", text);
	free(text);
}

static void what_the_promise_does_not_cover_is_said(void **state)
{
	struct scene x;
	char *text;

	(void)state;
	make(&x, 30000, 20000);
	x.s.cost = (struct report_overhead){
		.known = true, .close = true, .low = 0.1, .estimate = 0.22, .high = 0.3};
	text = text_of(&x);
	assert_non_null(strstr(text, "the promise is for the probes of calls; about 20 % more went into"));
	free(text);
	x.s.cost.close = false;
	text = text_of(&x);
	assert_non_null(strstr(text, "the promise is for the probes of calls; what is more went into"));
	free(text);
	make(&x, 30000, 20000);
	x.s.cost = (struct report_overhead){.known = true, .low = 0.01, .estimate = 0.025, .high = 0.03};
	text = text_of(&x);
	assert_null(strstr(text, "the promise is for"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_promise_does_not_cover_is_said),
		cmocka_unit_test(levels),
		cmocka_unit_test(reckoned),
		cmocka_unit_test(reasons),
		cmocka_unit_test(nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
