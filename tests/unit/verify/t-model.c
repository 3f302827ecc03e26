/* SPDX-License-Identifier: MIT */
/* The checker's own readers of model and platform: what they take in, what they refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "verify/recompute.h"
#include "edited.h"

#define MODEL    "tests/verify/moves-model.yaml"
#define PLATFORM "tests/verify/moves-platform.yaml"

static void refused(const char *path, const char *from, const char *to, const char *why)
{
	struct vplatform p = {0};
	struct vmodel m = {0};
	struct fault f = {""};
	char name[32];
	int ret;

	edited(path, from, to, name);
	ret = !strcmp(path, MODEL) ? vmodel_read(&m, name, &f) : vplatform_read(&p, name, &f);
	if (!ret)
		fail_msg("accepted '%s'", to);
	if (!strstr(f.text, why))
		fail_msg("'%s' does not say '%s'", f.text, why);
	vmodel_release(&m);
	vplatform_release(&p);
	unlink(name);
}

static void a_model_is_read_in_the_order_of_the_run(void **state)
{
	struct vmodel m;
	struct fault f;

	(void)state;
	if (vmodel_read(&m, MODEL, &f))
		fail_msg("%s", f.text);
	assert_int_equal(m.n_threads, 5);
	assert_int_equal(m.n_phases, 5);
	assert_int_equal(m.n_conflicts, 6);
	assert_true(m.phase[1].barrier && !m.phase[0].barrier);
	assert_int_equal(m.phase[2].repeats, 20);
	assert_true(m.phase[1].work[0].enters && !m.phase[0].work[0].enters && m.phase[0].work[0].starts);
	assert_int_equal(m.phase[3].work[0].visit, 41);
	vmodel_release(&m);
}

static void a_model_that_is_not_exact_is_refused(void **state)
{
	(void)state;
	refused(MODEL, "version: 1", "version: 2", "version");
	refused(MODEL, "hz:", "herz:", "unknown key `herz`");
	refused(MODEL, "opened_by: barrier", "opened_by: luck", "one of barrier");
	refused(MODEL, "after: 1", "after: 3", "one chain");
	refused(MODEL, "after: 1", "after: 0", "one chain");
}

static void references_and_numbers_are_checked(void **state)
{
	(void)state;
	refused(MODEL, "thread: 4\n        cycles: 20000000", "thread: 5\n        cycles: 20000000",
		"thread");
	refused(MODEL, "thread: 2\n        cycles: 20000000", "thread: 1\n        cycles: 20000000",
		"already has work");
	refused(MODEL, "repeats: 20", "repeats: 0", "counts from 1");
	refused(MODEL, "rate_a: 30", "rate_a: -30", "rate_a");
	refused(MODEL, "rate_a: 30", "rate_a: 1e999", "not negative");
	refused(MODEL, "cycles: 4000000", "cycles: 4e6", "cycles");
	refused(MODEL, "thread_b: 2", "thread_b: 1", "greater than");
	refused(MODEL, "plannable: true", "plannable: maybe", "plannable");
	refused(PLATFORM, "busy_mw: 5000", "busy_mw: -5000", "busy_mw");
	refused(PLATFORM, "busy_mw: 5000", "busy_mw: 1000", "cannot draw more");
	refused(PLATFORM, "khz: 1500000", "khz: 2500000", "descending");
	refused(PLATFORM, "cache: 6000", "cash: 6000", "unknown key `cash`");
	refused(PLATFORM, "can_halt", "may_halt", "can_halt");
}

static void work_is_rounded_up_and_light_work_is_told_apart(void **state)
{
	struct vplatform p;
	struct vmodel m;
	struct span s;
	struct fault f;
	struct member one = {.cycles = 3, .memory_ns = 5};

	(void)state;
	assert_int_equal(vplatform_read(&p, PLATFORM, &f), 0);
	assert_int_equal(vmodel_read(&m, MODEL, &f), 0);
	assert_int_equal(work_ns(&p, &one, 0), 7); /* 1.5 ns -> 2 */
	assert_true(span_make(&m, &p, 0, 0, &s));
	assert_int_equal(s.n, 5);
	assert_int_equal(s.n_heavy, 5);
	free(s.member);
	m.phase[0].work[0].cycles = 200000; /* 1 % of the others */
	assert_true(span_make(&m, &p, 0, 0, &s));
	assert_int_equal(s.n_heavy, 4);
	assert_int_equal(s.member[4].thread, 0);
	free(s.member);
	assert_false(span_make(&m, &p, 4, 5, &s));
	vmodel_release(&m);
	vplatform_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_model_is_read_in_the_order_of_the_run),
		cmocka_unit_test(a_model_that_is_not_exact_is_refused),
		cmocka_unit_test(references_and_numbers_are_checked),
		cmocka_unit_test(work_is_rounded_up_and_light_work_is_told_apart),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
