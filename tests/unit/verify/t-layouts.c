/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "verify/base/triggers.h"
#include "verify/layouts/layouts.h"

static void scopes_in_front_may_be_left_out_on_either_side(void **state)
{
	(void)state;
	assert_true(layouts_same_name("app::outer::inner", "inner", false));
	assert_true(layouts_same_name("here", "work::here", false));
	assert_true(layouts_same_name("stats", "stats", false));
	assert_false(layouts_same_name("stats", "xstats", false));
	assert_false(layouts_same_name("app::stats", "net::stats", false));
	assert_false(layouts_same_name("stats", "stats::inner", false));
}

static void words_blanks_and_arguments_of_functions_do_not_count(void **state)
{
	(void)state;
	assert_true(layouts_same_name("struct stats", "stats", false));
	assert_true(layouts_same_name("class app::box<int *>", "app::box<int*>", false));
	assert_true(layouts_same_name("local(int)::here", "local::here", false));
	assert_true(layouts_same_name("(anonymous namespace)::stats", "stats", false));
	assert_true(layouts_same_name("{anonymous}::stats", "stats", false));
}

static void arguments_of_templates_count_unless_asked_for_bare_names(void **state)
{
	(void)state;
	assert_false(layouts_same_name("box<int>", "box<long>", false));
	assert_true(layouts_same_name("box<int>", "box<long>", true));
	assert_true(layouts_same_name("box", "box<pair<int, long> >", true));
	assert_false(layouts_same_name("box", "box<int>", false));
	assert_true(layouts_same_name("nest<long int>::in", "app::nest<char>::in", true));
}

static void a_field_of_a_line_ends_where_its_text_does(void **state)
{
	(void)state;
	assert_true(triggers_is_text("struct%20stats", "struct stats"));
	assert_true(triggers_is_text("a%2Fb%2f", "a/b/"));
	assert_false(triggers_is_text("stats%", "stats"));
	assert_true(triggers_is_text("stats%", "stats%"));
	assert_true(triggers_is_text("stats%4", "stats%4"));
	assert_false(triggers_is_text("stat", "stats"));
}

static void each_figure_of_a_layouts_line_counts(void **state)
{
	const struct vplan_layout field = {.kind = VPLAN_FIELD,
					   .type = "struct stats",
					   .name = "tx",
					   .file = "net.h",
					   .source_line = 3,
					   .align = 64,
					   .size = 16,
					   .offset = 8,
					   .size_after = 128,
					   .offset_after = 64};
	char text[] = "layout field struct%20stats tx net.h 3 64 16 8 128 64", five[] = "5";
	char *line[16], *rest;
	int n = 0;

	(void)state;
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		line[n++] = word;
	assert_true(triggers_is_layout(&field, line, n));
	assert_false(triggers_is_layout(&field, line, n - 1));
	for (int i = 1; i < n; i++) {
		char *kept = line[i];

		line[i] = five;
		assert_false(triggers_is_layout(&field, line, n));
		line[i] = kept;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scopes_in_front_may_be_left_out_on_either_side),
		cmocka_unit_test(words_blanks_and_arguments_of_functions_do_not_count),
		cmocka_unit_test(arguments_of_templates_count_unless_asked_for_bare_names),
		cmocka_unit_test(a_field_of_a_line_ends_where_its_text_does),
		cmocka_unit_test(each_figure_of_a_layouts_line_counts),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
