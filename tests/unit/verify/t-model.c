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

#include "verify/figures/recompute.h"
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
	refused(MODEL, "accesses_per_kcycle: 30", "accesses_per_kcycle: -30", "accesses_per_kcycle");
	refused(MODEL, "accesses_per_kcycle: 30", "accesses_per_kcycle: 1e999", "not negative");
	refused(MODEL, "cycles: 4000000", "cycles: 4e6", "cycles");
	refused(MODEL, "b:\n      thread: 2", "b:\n      thread: 1", "greater than");
	refused(MODEL, "30\n    b:", "30\n      gap_cycles: 9\n    b:", "go together");
	refused(MODEL, "30\n    b:", "30\n      file: \"x.c\"\n    b:", "go together");
	refused(MODEL, "    b:\n", "    b: 1\n    c:\n", "two maps");
	refused(MODEL, "version: 2", "version: 1", "version 1, expected 2");
	refused(MODEL, "version: 2", "version: 3", "version");
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
	assert_true(span_make(&m, 1, &p, 0, 0, &s));
	assert_int_equal(s.n, 5);
	assert_int_equal(s.n_heavy, 5);
	free(s.member);
	m.phase[0].work[0].cycles = 200000; /* 1 % of the others */
	assert_true(span_make(&m, 1, &p, 0, 0, &s));
	assert_int_equal(s.n_heavy, 4);
	assert_int_equal(s.member[4].entry->thread, 0);
	free(s.member);
	assert_false(span_make(&m, 1, &p, 4, 5, &s));
	vmodel_release(&m);
	vplatform_release(&p);
}

#define BEHIND "  - index: 1\n    name: \"phase-000001\""
#define LOCK   "    serial:\n      - lock: 7\n        object: \"mutex queue\"\n        held:\n"
#define HOLDS(thread, cycles)                                                                                \
	"          - thread: " #thread "\n            cycles: " #cycles "\n            memory_ns: 0\n"

static void work_under_locks_is_a_part_of_all_work(void **state)
{
	(void)state;
	refused(MODEL, BEHIND, LOCK HOLDS(1, 20000001) BEHIND, "more is done under the lock");
	refused(MODEL, BEHIND, LOCK HOLDS(1, 1) HOLDS(1, 1) BEHIND, "hold a lock must ascend");
	refused(MODEL, BEHIND, LOCK HOLDS(2, 1) HOLDS(1, 1) BEHIND, "hold a lock must ascend");
	refused(MODEL, BEHIND, LOCK HOLDS(5, 1) BEHIND, "thread");
	refused(MODEL, BEHIND, "    serial:\n      - lock: 7\n" BEHIND, "`held` is missing");
	refused(MODEL, BEHIND, LOCK HOLDS(1, 1) "      - lock: 7\n        held:\n" HOLDS(2, 1) BEHIND,
		"locks of a phase must ascend");
	refused(MODEL, BEHIND, "    serial:\n      - lock: 7\n        hold: 1\n" BEHIND, "held");
	refused(MODEL, BEHIND, LOCK "          - thread: 1\n            cycle: 1\n" BEHIND, "cycles");
}

/* Main shares the last worker's core; nothing but turns at a lock can make the others wait. */
static struct vcost cost_with(const char *behind, struct vcost *bound)
{
	uint32_t core[5] = {3, 0, 1, 2, 3}, step[16] = {0};
	struct vplatform p;
	struct moment now = {.f = &p, .core = core, .step = step};
	struct vmodel m;
	struct vcost c;
	struct span s;
	struct fault f = {""};
	char name[32];

	edited(MODEL, BEHIND, behind, name);
	if (vplatform_read(&p, PLATFORM, &f) || vmodel_read(&m, name, &f))
		fail_msg("%s", f.text);
	unlink(name);
	m.n_conflicts = 0;
	assert_true(span_make(&m, 1, &p, 0, 0, &s));
	c = fluid_cost(&now, &s);
	*bound = relaxed_cost(&p, &s);
	free(s.member);
	vmodel_release(&m);
	vplatform_release(&p);
	return c;
}

static void threads_take_turns_at_a_lock(void **state)
{
	struct vcost bound, c = cost_with(BEHIND, &bound);

	(void)state;
	assert_int_equal(c.time, 12000000); /* 24 million cycles at 2 GHz */
	c = cost_with(LOCK HOLDS(1, 8000000) HOLDS(2, 8000000) BEHIND, &bound);
	assert_int_equal(c.time, 12000000); /* two times 4 ms fit in */
	c = cost_with(LOCK HOLDS(1, 20000000) HOLDS(2, 8000000) BEHIND, &bound);
	assert_int_equal(c.time, 14000000); /* the first waits for the second's 4 ms */
	assert_int_equal(bound.time, 14000000);
	c = cost_with(LOCK HOLDS(1, 20000000) HOLDS(2, 20000000) HOLDS(3, 4000000) BEHIND, &bound);
	assert_int_equal(c.time, 22000000);
}

/* The same program twice as long: a span of both holds the work of both. */
static void several_models_make_one_span(void **state)
{
	struct vplatform p;
	struct vmodel m[2];
	struct span s;
	struct fault f;

	(void)state;
	assert_int_equal(vplatform_read(&p, PLATFORM, &f), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(vmodel_read(&m[i], MODEL, &f), 0);
	m[1].phase[2].repeats = 30;
	assert_true(span_make(m, 2, &p, 2, 2, &s));
	assert_int_equal(s.repeats, 30);
	assert_int_equal(s.member[0].cycles,
			 2 * vmodel_work(&m[0].phase[2], s.member[0].entry->thread)->cycles);
	free(s.member);
	for (int i = 0; i < 2; i++)
		vmodel_release(&m[i]);
	vplatform_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_model_is_read_in_the_order_of_the_run),
		cmocka_unit_test(a_model_that_is_not_exact_is_refused),
		cmocka_unit_test(references_and_numbers_are_checked),
		cmocka_unit_test(work_is_rounded_up_and_light_work_is_told_apart),
		cmocka_unit_test(work_under_locks_is_a_part_of_all_work),
		cmocka_unit_test(threads_take_turns_at_a_lock),
		cmocka_unit_test(several_models_make_one_span),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
