/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "verify/base/triggers.h"
#include "verify/layouts/layouts.h"

static void a_type_is_known_by_all_of_its_name(void **state)
{
	(void)state;
	assert_true(layouts_is_type("stats", "stats", LAYOUTS_NAMED, false));
	assert_true(layouts_is_type("app::outer::inner", "app::outer::inner", LAYOUTS_NAMED, false));
	assert_false(layouts_is_type("inner", "app::outer::inner", LAYOUTS_NAMED, false));
	assert_false(layouts_is_type("app::stats", "stats", LAYOUTS_NAMED, false));
	assert_false(layouts_is_type("app::stats", "net::stats", LAYOUTS_NAMED, false));
	assert_false(layouts_is_type("stats", "xstats", LAYOUTS_NAMED, false));
	assert_false(layouts_is_type("{anonymous}::stats", "stats", LAYOUTS_NAMED, false));
	assert_true(layouts_is_type("{anonymous}::stats", "{anonymous}::stats", LAYOUTS_UNNAMED, false));
	assert_false(
		layouts_is_type("app::{anonymous}::stats", "{anonymous}::stats", LAYOUTS_UNNAMED, false));
}

static void of_a_type_in_a_function_the_last_part_is_known(void **state)
{
	(void)state;
	assert_true(layouts_is_type("work(int)::here", "work::here", LAYOUTS_FUNCTION, false));
	assert_true(layouts_is_type("main()::<lambda()>::here", "main::operator()::here", LAYOUTS_FUNCTION,
				    false));
	assert_true(layouts_is_type("C<a::b>::get() const::here", "here", LAYOUTS_FUNCTION, false));
	assert_false(layouts_is_type("work(int)::here", "work::there", LAYOUTS_FUNCTION, false));
}

static void words_and_blanks_do_not_count(void **state)
{
	(void)state;
	assert_true(layouts_is_type("struct stats", "stats", LAYOUTS_NAMED, false));
	assert_true(layouts_is_type("class app::box<int *>", "app::box<int*>", LAYOUTS_NAMED, false));
}

static void arguments_of_templates_count_unless_asked_for_bare_names(void **state)
{
	(void)state;
	assert_false(layouts_is_type("box<int>", "box<long>", LAYOUTS_NAMED, false));
	assert_true(layouts_is_type("box<int>", "box<long>", LAYOUTS_NAMED, true));
	assert_true(layouts_is_type("box", "box<pair<int, long> >", LAYOUTS_NAMED, true));
	assert_false(layouts_is_type("box", "box<int>", LAYOUTS_NAMED, false));
	assert_true(layouts_is_type("app::nest<long int>::in", "app::nest<char>::in", LAYOUTS_NAMED, true));
}

static void of_a_variable_the_last_part_counts(void **state)
{
	(void)state;
	assert_true(layouts_is_variable("app::hits", "hits"));
	assert_true(layouts_is_variable("app::per<a::b>::count", "count"));
	assert_true(layouts_is_variable("count", "count<int>"));
	assert_false(layouts_is_variable("hits", "xhits"));
	assert_false(layouts_is_variable("hits::", ""));
}

static void a_file_is_one_from_whichever_folder_it_is_seen(void **state)
{
	char typed[] = "../inc/net.h", full[] = "/src/inc/net.h", other[] = "/src/inc/old/net.h";
	const struct dwarf_file file = {typed, full, "net.h"}, old = {other, other, "net.h"},
				rootless = {typed, NULL, "net.h"};

	(void)state;
	assert_true(dwarf_is_file("net.h", &file));
	assert_true(dwarf_is_file("inc/net.h", &file));
	assert_true(dwarf_is_file("src/inc/net.h", &file));
	assert_true(dwarf_is_file("/elsewhere/inc/net.h", &file));
	assert_false(dwarf_is_file("et.h", &file));
	assert_false(dwarf_is_file("src/net.h", &file));
	assert_false(dwarf_is_file("inc/net.h", &old));
	assert_false(dwarf_same_file(&file, &old));
	assert_true(dwarf_same_file(&file, &rootless));
	assert_false(dwarf_same_file(&old, &rootless));
}

/* Addresses of a variable whose place is the @n bytes at @place. */
static size_t addresses(const uint8_t *place, size_t n, uint64_t *out)
{
	struct dwarf_unit unit = {.version = 5};
	struct die die = {.unit = &unit};

	die.value[AT_LOCATION] = (struct dwarf_value){.kind = IS_BLOCK, .number = n, .block = place};
	return dwarf_addresses(&die, out, 8);
}

static void a_variable_in_parts_lies_where_each_part_does(void **state)
{
	static const uint8_t two[] = {3,    0x10, 0x40, 0, 0, 0, 0, 0, 0,    0x93, 8,    3,
				      0x20, 0x40, 0,    0, 0, 0, 0, 0, 0x23, 8,    0x93, 8};
	/* A pointer with this value, and one whose value lies there. */
	static const uint8_t value[] = {3, 0x10, 0x40, 0, 0, 0, 0, 0, 0, 0x9f},
			     behind[] = {3, 0x10, 0x40, 0, 0, 0, 0, 0, 0, 6, 0x9f};
	uint64_t at[8];

	(void)state;
	assert_int_equal(addresses(two, sizeof(two), at), 2);
	assert_int_equal(at[0], 0x4010);
	assert_int_equal(at[1], 0x4028);
	assert_int_equal(addresses(two, 9, at), 0);
	assert_int_equal(addresses(value, sizeof(value), at), 0);
	assert_int_equal(addresses(behind, sizeof(behind), at), 0);
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
		cmocka_unit_test(a_type_is_known_by_all_of_its_name),
		cmocka_unit_test(of_a_type_in_a_function_the_last_part_is_known),
		cmocka_unit_test(words_and_blanks_do_not_count),
		cmocka_unit_test(arguments_of_templates_count_unless_asked_for_bare_names),
		cmocka_unit_test(of_a_variable_the_last_part_counts),
		cmocka_unit_test(a_file_is_one_from_whichever_folder_it_is_seen),
		cmocka_unit_test(a_variable_in_parts_lies_where_each_part_does),
		cmocka_unit_test(a_field_of_a_line_ends_where_its_text_does),
		cmocka_unit_test(each_figure_of_a_layouts_line_counts),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
