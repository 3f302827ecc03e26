/* SPDX-License-Identifier: MIT */
/* Plans with random changes: a plan never differs from itself, and a difference is one in both directions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/rng.h"
#include "planner/diff/diff.h"

static size_t differences(const struct plan *a, const struct plan *b, size_t *all)
{
	struct plan_diff d;
	size_t n;

	plan_diff(&d, a, b);
	n = d.n_differences;
	*all = d.changes.n;
	for (size_t i = 0; i < d.changes.n; i++)
		assert_null(strpbrk(d.changes.at[i].text, "\n\r\t\033"));
	plan_diff_release(&d);
	return n;
}

/* One to three digits of @text become others. */
static void change(char *text, size_t len, uint64_t seed)
{
	struct rng r = rng_keyed(seed, 0, 0, 0);

	for (uint64_t i = 0, n = 1 + rng_below(&r, 3); i < n; i++) {
		size_t at = (size_t)rng_below(&r, len);

		while (text[at] < '0' || text[at] > '9')
			at = (at + 1) % len;
		text[at] = (char)('0' + rng_below(&r, 10));
	}
}

/* At least one in @share of the changes means something. */
static void change_often(const char *path, size_t share)
{
	struct strbuf text = STRBUF_INIT;
	size_t differ = 0, read = 0, all;
	struct plan plan;

	assert_int_equal(fs_read(path, 0, &text, NULL), 0);
	assert_int_equal(plan_parse(&plan, text.s, text.len, path, NULL), 0);
	for (uint64_t seed = 0; seed < 1500; seed++) {
		char *other = mem_strndup(text.s, text.len);
		struct plan changed;

		change(other, text.len, seed);
		if (!plan_parse(&changed, other, text.len, "changed", NULL)) {
			size_t there = differences(&plan, &changed, &all);

			assert_int_equal(differences(&changed, &plan, &all) > 0, there > 0);
			assert_int_equal(differences(&changed, &changed, &all), 0);
			assert_int_equal(all, 0);
			differ += there > 0;
			read++;
			plan_release(&changed);
		}
		free(other);
	}
	assert_true(read > 500);
	assert_true(differ > read / share);
	plan_release(&plan);
	strbuf_release(&text);
}

static void changed_plans_differ_in_both_directions(void **state)
{
	(void)state;
	change_often("tests/codegen/golden/plan.yaml", 2);
}

static void so_do_plans_with_layouts(void **state)
{
	(void)state;
	change_often("yaml/examples/plan.yaml", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(changed_plans_differ_in_both_directions),
					   cmocka_unit_test(so_do_plans_with_layouts)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
