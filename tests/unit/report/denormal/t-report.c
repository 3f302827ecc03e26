/* SPDX-License-Identifier: MIT */
/* The report on counts that were put together by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/denormal/report.h"

static struct denormal_site site(uint32_t kind, uint32_t line, uint64_t results, uint64_t births,
				 uint64_t deaths)
{
	return (struct denormal_site){.kind = kind,
				      .type = PRS_DEN_FLOAT,
				      .line = line,
				      .results = results,
				      .births = births,
				      .deaths = deaths,
				      .file = (char *)"a.c",
				      .function = (char *)"f",
				      .name = (char *)"a"};
}

static void begin(struct denormal_run *run)
{
	*run = (struct denormal_run){.path = (char *)"r"};
	run->counts.n_units = 1;
	run->counts.full = true;
}

static void end(struct denormal_run *run, struct denormal_report *r)
{
	denormal_report_release(r);
	vec_release(&run->counts.sites);
	vec_release(&run->counts.objects);
	vec_release(&run->counts.rows);
}

static void add_array(struct denormal_run *run, uint64_t loads, uint64_t stores)
{
	struct denormal_object *o = vec_add(&run->counts.objects);

	o->raw.where = PRS_DEN_HEAP;
	o->loads = loads;
	o->stores = stores;
}

static void births_are_ranked_before_busier_lines(void **state)
{
	struct denormal_run run;
	struct denormal_report r;

	(void)state;
	begin(&run);
	vec_push(&run.counts.sites, site(PRS_DEN_ADD, 3, 1000, 0, 1));
	vec_push(&run.counts.sites, site(PRS_DEN_MUL, 5, 20, 7, 0));
	vec_push(&run.counts.sites, site(PRS_DEN_MUL, 9, 30, 8, 0));
	vec_push(&run.counts.sites, site(PRS_DEN_MUL, 11, 0, 0, 0));
	denormal_report_make(&r, &run, NULL);
	assert_int_equal(r.births.n, 2);
	assert_int_equal(r.births.at[0].line, 9);
	assert_int_equal(r.lines.n, 3);
	assert_int_equal(r.lines.at[0].line, 3);
	assert_int_equal(r.all.births, 15);
	assert_int_equal(r.trust, DENORMAL_GOOD);
	end(&run, &r);
}

static void arrays_are_sources_sinks_or_neither_by_their_ratio(void **state)
{
	static const enum denormal_part parts[] = {DENORMAL_SOURCE, DENORMAL_PASSES, DENORMAL_SINK,
						   DENORMAL_BROUGHT};
	struct denormal_run run;
	struct denormal_report r;

	(void)state;
	begin(&run);
	add_array(&run, 100000, 10000);
	add_array(&run, 9999, 1000);
	add_array(&run, 10, 1000);
	add_array(&run, 500, 0);
	add_array(&run, 0, 0);
	denormal_report_make(&r, &run, NULL);
	assert_int_equal(r.arrays.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(r.arrays.at[i].part, parts[i]);
	assert_string_equal(r.arrays.at[1].name, "an array #2");
	end(&run, &r);
}

/* A page has no owner: it is not called like one of them, unless there is but one. */
static void small_blocks_of_a_page_have_no_owners_name(void **state)
{
	static const char *const names[][3] = {{"q->z", "line[]", "a page with q->z, line[], ..."},
					       {"q->z", "q->z", "q->z"}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct denormal_run run;
		struct denormal_report r;

		begin(&run);
		add_array(&run, 0, 12);
		run.counts.objects.at[0].raw.where = PRS_DEN_ELSEWHERE;
		for (size_t s = 0; s < 2; s++) {
			struct denormal_site stored = site(PRS_DEN_STORE, 7, 7 - (uint32_t)s, 0, 0);

			stored.name = (char *)names[i][s];
			vec_push(&run.counts.sites, stored);
			vec_push(&run.counts.rows, ((struct denormal_row){s, 0, 7 - s}));
		}
		denormal_report_make(&r, &run, NULL);
		assert_string_equal(r.arrays.at[0].name, names[i][2]);
		end(&run, &r);
	}
}

/* Stores of the same name, or through a pointer, that lie in no array: nobody says that the array was filled from elsewhere. */
static void an_array_whose_stores_have_no_place_was_not_brought_in(void **state)
{
	static const char *const names[] = {"a", "another", "p[]"};

	(void)state;
	for (int other = 0; other < 3; other++) {
		struct denormal_run run;
		struct denormal_report r;
		struct denormal_site stored = site(PRS_DEN_STORE, 7, 30, 0, 0);

		begin(&run);
		add_array(&run, 500, 0);
		vec_push(&run.counts.sites, site(PRS_DEN_LOAD, 6, 500, 0, 0));
		vec_push(&run.counts.rows, ((struct denormal_row){0, 0, 500}));
		stored.name = (char *)names[other];
		vec_push(&run.counts.sites, stored);
		denormal_report_make(&r, &run, NULL);
		assert_int_equal(r.arrays.at[0].part, other == 1 ? DENORMAL_BROUGHT : DENORMAL_UNSEEN);
		assert_int_equal(r.unplaced.n, 1);
		assert_int_equal(r.unplaced.at[0].line, 7);
		assert_int_equal(r.unplaced.at[0].n.stores, 30);
		end(&run, &r);
	}
}

static void a_price_is_paid_for_births_passages_and_deaths(void **state)
{
	struct platform_denormal price = {PLATFORM_FP_MUL, PLATFORM_FP_FLOAT, 10, 11, 100, 110, 1000, 1100};
	struct platform p = {.denormal = &price, .n_denormal = 1};
	struct denormal_run run;
	struct denormal_report r;

	(void)state;
	begin(&run);
	vec_push(&run.counts.sites, site(PRS_DEN_MUL, 5, 5, 2, 1));
	vec_push(&run.counts.sites, site(PRS_DEN_DIV, 6, 4, 0, 2));
	denormal_report_make(&r, &run, &p);
	assert_true(r.priced);
	assert_true(r.all.low_ps == 2 * 100 + 3 * 1000 + 10);
	assert_true(r.all.high_ps == 2 * 110 + 3 * 1100 + 11);
	assert_int_equal(r.unpriced, 6);
	end(&run, &r);
}

static void one_of_a_kind_is_named_in_the_singular(void **state)
{
	for (uint64_t n = 1; n < 3; n++) {
		struct strbuf out = STRBUF_INIT;
		struct denormal_run run;
		struct denormal_report r;

		(void)state;
		begin(&run);
		vec_push(&run.counts.sites, site(PRS_DEN_MUL, 5, n, n, n));
		add_array(&run, n, n);
		denormal_report_make(&r, &run, NULL);
		denormal_report_text(&r, true, &out);
		assert_non_null(strstr(out.s, n == 1 ? "1 result, 1 birth, 1 death"
						     : "2 results, 2 births, 2 deaths"));
		assert_non_null(strstr(out.s, n == 1 ? "1 load, 1 store:" : "2 loads, 2 stores:"));
		strbuf_release(&out);
		end(&run, &r);
	}
}

static void a_zero_is_not_believed_where_nothing_was_counted_or_all_was_flushed(void **state)
{
	struct denormal_run run;
	struct denormal_report r;

	(void)state;
	begin(&run);
	run.counts.n_units = 0;
	denormal_report_make(&r, &run, NULL);
	assert_int_equal(r.trust, DENORMAL_LIMITED);
	end(&run, &r);
	begin(&run);
	vec_add(&run.counts.flushes);
	denormal_report_make(&r, &run, NULL);
	assert_int_equal(r.trust, DENORMAL_FLUSHED);
	end(&run, &r);
	begin(&run);
	run.counts.full = false;
	denormal_report_make(&r, &run, NULL);
	assert_int_equal(r.trust, DENORMAL_LIMITED);
	end(&run, &r);
}

static void a_nan_that_may_hide_operands_from_a_gate_is_said(void **state)
{
	struct denormal_run run;
	struct denormal_report r;

	(void)state;
	for (int i = 0; i < 4; i++) {
		begin(&run);
		run.counts.gates = i & 1;
		run.counts.n_invalid = i / 2;
		denormal_report_make(&r, &run, NULL);
		assert_int_equal(r.trust, i == 3 ? DENORMAL_LIMITED : DENORMAL_GOOD);
		assert_int_equal(r.doubts.n, i == 3);
		end(&run, &r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(births_are_ranked_before_busier_lines),
		cmocka_unit_test(arrays_are_sources_sinks_or_neither_by_their_ratio),
		cmocka_unit_test(small_blocks_of_a_page_have_no_owners_name),
		cmocka_unit_test(an_array_whose_stores_have_no_place_was_not_brought_in),
		cmocka_unit_test(a_price_is_paid_for_births_passages_and_deaths),
		cmocka_unit_test(one_of_a_kind_is_named_in_the_singular),
		cmocka_unit_test(a_zero_is_not_believed_where_nothing_was_counted_or_all_was_flushed),
		cmocka_unit_test(a_nan_that_may_hide_operands_from_a_gate_is_said),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
