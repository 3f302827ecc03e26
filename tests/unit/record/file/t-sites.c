/* SPDX-License-Identifier: MIT */
/* sites_parse() and run_field_name(). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "perseus/abi.h"
#include "record/run.h"

#define UNIT(calls, mems) "U\t1\t00000000000000aa\t" calls "\t" mems "\tGNU C17 12\tprog.c\tlto\n"
#define NAMES                                                                                                \
	"F\t0\tdir/my\\x20prog.c\n"                                                                          \
	"N\t0\t_ZN1a1bEv\ta::b()\t0\t10\n"
#define CALL  "C\t0\t1111111111111111\t0000beef\t0\tmalloc\t0\t12\t2\t3\talloc\tmain:12>f:3\n"
#define CLOSE "Z\t00000000000000aa\n"

static void parses(struct sites *s, const char *text)
{
	struct err err = ERR_INIT;

	if (sites_parse(s, text, strlen(text), "prog", &err))
		fail_msg("%s", err.msg);
}

static void refuses(const char *text, const char *says)
{
	struct err err = ERR_INIT;
	struct sites s;

	assert_int_equal(sites_parse(&s, text, strlen(text), "prog", &err), -EINVAL);
	if (!strstr(err.msg, says))
		fail_msg("'%s' does not say '%s'", err.msg, says);
	assert_null(s.units);
}

static void call_line_is_resolved(void **state)
{
	const struct run_call_site *c;
	struct sites s;

	(void)state;
	parses(&s, UNIT("1", "0") NAMES CALL "A\t0\tstruct job\t48\n" CLOSE);
	assert_int_equal(s.n_units, 1);
	c = &s.units[0].calls[0];
	assert_string_equal(c->function, "_ZN1a1bEv");
	assert_string_equal(c->pretty, "a::b()");
	assert_string_equal(c->file, "dir/my prog.c");
	assert_string_equal(c->unit, "prog.c");
	assert_string_equal(c->chain, "main:12>f:3");
	assert_string_equal(c->alloc_type, "struct job");
	assert_int_equal(c->alloc_bytes, 48);
	assert_int_equal(c->ordinal, 3);
	assert_string_equal(s.units[0].language, "-");
	sites_release(&s);
}

static void language_of_a_unit_is_kept(void **state)
{
	struct sites s;

	(void)state;
	parses(&s, "U\t1\t00000000000000aa\t0\t0\tGNU C17 12\tprog.cc\t-\tc++14\n" CLOSE);
	assert_string_equal(s.units[0].language, "c++14");
	sites_release(&s);
}

static void names_may_come_after_their_use(void **state)
{
	struct sites s;

	(void)state;
	parses(&s, UNIT("1", "0") "A\t0\tint\t4\n" CALL NAMES CLOSE);
	assert_string_equal(s.units[0].calls[0].pretty, "a::b()");
	assert_string_equal(s.units[0].calls[0].alloc_type, "int");
	assert_int_equal(s.units[0].calls[0].alloc_skip, 0);
	sites_release(&s);
	parses(&s, UNIT("1", "0") "A\t0\tint\t4\t+8\n" CALL NAMES CLOSE);
	assert_int_equal(s.units[0].calls[0].alloc_skip, 8);
	assert_string_equal(s.units[0].calls[0].alloc_dims, "");
	sites_release(&s);
}

static void contributions_are_concatenated_with_padding(void **state)
{
	static const char text[] = UNIT("1", "0") NAMES CALL CLOSE "\0\0\0" UNIT("0", "0") CLOSE;
	struct err err = ERR_INIT;
	struct sites s;

	(void)state;
	assert_int_equal(sites_parse(&s, text, sizeof(text) - 1, "prog", &err), 0);
	assert_int_equal(s.n_units, 2);
	assert_int_equal(s.units[1].n_calls, 0);
	sites_release(&s);
}

static void unknown_lines_and_added_fields_are_skipped(void **state)
{
	struct sites s;

	(void)state;
	parses(&s,
	       UNIT("1", "0") "Q\twhatever\nCC\t1\n" NAMES "C\t0\t1111111111111111\t00000000\t0\tf\t0\t1\t1\t"
			      "0\t-\t-\t2\t0123abcd\tnew\tfields\n" CLOSE);
	assert_string_equal(s.units[0].calls[0].callee, "f");
	assert_int_equal(s.units[0].calls[0].equal, 2);
	assert_string_equal(s.units[0].calls[0].near, "0123abcd");
	sites_release(&s);
}

static void empty_table_has_no_units(void **state)
{
	struct sites s;

	(void)state;
	parses(&s, "");
	assert_int_equal(s.n_units, 0);
	sites_release(&s);
}

#define MEM "M\t0\t1111111111111111\t00000000\t0\tS\t8\t0\t7\t1\t*p\tint\t-\t-\t-\t-"

static void round_of_an_access_is_read(void **state)
{
	const struct run_mem_site *m;
	struct sites s;

	(void)state;
	parses(&s, UNIT("0", "1") NAMES MEM "\t4-9+/2\n" CLOSE);
	m = &s.units[0].mems[0];
	assert_int_equal(m->round_least, 4);
	assert_int_equal(m->round_most, 9);
	assert_int_equal(m->round_accesses, 2);
	assert_true(m->round_open);
	sites_release(&s);
	parses(&s, UNIT("0", "1") NAMES MEM "\t6-6/1\n" CLOSE);
	assert_false(s.units[0].mems[0].round_open);
	sites_release(&s);
}

static void tables_without_rounds_are_read(void **state)
{
	struct sites s;

	(void)state;
	parses(&s, UNIT("0", "1") NAMES MEM "\n" CLOSE);
	assert_int_equal(s.units[0].mems[0].round_accesses, 0);
	sites_release(&s);
	parses(&s, UNIT("0", "1") NAMES MEM "\t-\n" CLOSE);
	assert_int_equal(s.units[0].mems[0].round_accesses, 0);
	sites_release(&s);
}

static void damaged_rounds_are_refused(void **state)
{
	static const char *const bad[] = {"4",     "4-",    "4-9", "4-9/",           "4-9/x",
					  "9-4/1", "4-9+2", "-/1", "99999999999-1/1"};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "%s%s\n%s", UNIT("0", "1") NAMES MEM "\t", bad[i], CLOSE);
		refuses(text, "round");
	}
}

/* They go to terminals. */
static void control_characters_stay_escaped(void **state)
{
	struct sites s;

	(void)state;
	parses(&s, UNIT("0", "0") "S\tcall\tskip\t-\tA\\x20\\x5c\\x1b[31m\\x0a\\x7fB\t-\t0\n" CLOSE);
	assert_string_equal(s.skipped[0].callee, "A \\\\x1b[31m\\x0a\\x7fB");
	sites_release(&s);
}

static void dash_is_not_known(void **state)
{
	struct sites s;

	(void)state;
	parses(&s, UNIT("1", "0") "C\t0\t1111111111111111\t00000000\t-\tf\t-\t-\t-\t0\t-\t-\n" CLOSE);
	assert_string_equal(s.units[0].calls[0].function, "-");
	assert_string_equal(s.units[0].calls[0].file, "-");
	assert_int_equal(s.units[0].calls[0].line, 0);
	sites_release(&s);
}

static void errors_name_the_line(void **state)
{
	(void)state;
	refuses(UNIT("1", "0") NAMES "C\t0\txyz\t00000000\t0\tf\t0\t1\t1\t0\t-\t-\n" CLOSE, "line 4");
	refuses(UNIT("1", "0") NAMES "C\t5\t1111111111111111\t00000000\t0\tf\t0\t1\t1\t0\t-\t-\n" CLOSE,
		"slot 5, but the unit has 1");
	refuses(UNIT("1", "0") NAMES "C\t0\t1111\n" CLOSE, "has 3 fields, expected 12");
	refuses(UNIT("1", "0") NAMES CALL CALL CLOSE, "described twice");
	refuses(UNIT("2", "0") NAMES CALL CLOSE, "call slot 1 of 'prog.c' has no C line");
	refuses(UNIT("1", "0") CALL CLOSE, "which no N line has");
	refuses(UNIT("1", "0") NAMES CALL, "not closed");
	refuses(UNIT("1", "0") NAMES CALL "Z\t00000000000000ab\n", "is open");
	refuses(UNIT("0", "0") "F\t0\tbad\\q\n" CLOSE, "backslash");
	refuses(UNIT("0", "0") "F\t0\tbad\\x00\n" CLOSE, "backslash");
	refuses(UNIT("0", "0") "F\t0\tbad\x1b[31m\n" CLOSE, "control character");
	refuses("U\t1\t00000000000000aa\t0\t0\tp\ts\t-\nZ\t00000000000000aa", "middle of a line");
	refuses("U\t2\t00000000000000aa\t0\t0\tp\ts\t-\n" CLOSE, "version 2, this reader knows 1");
}

static void counts_that_the_table_cannot_hold_are_refused(void **state)
{
	(void)state;
	refuses(UNIT("4000000000", "0") NAMES CALL CLOSE, "ends too early");
	refuses(UNIT("0", "4000000000") CLOSE, "ends too early");
	refuses(UNIT("0", "0") "F\t4000000000\tx.c\n" CLOSE, "beyond what the table can hold");
	refuses(UNIT("0", "0") "N\t4000000000\tf\tf\t-\t1\n" CLOSE, "beyond what the table can hold");
}

static void same_function_in_two_units_is_kept_once_and_sorted(void **state)
{
	struct sites s;

	(void)state;
	parses(&s, UNIT("0", "0") "N\t0\tzoo\tzoo\t-\t-\nN\t1\tant\tant\t-\t4\n" CLOSE UNIT(
			   "0", "0") "F\t0\tz.c\nN\t0\tzoo\tzoo\t0\t7\n" CLOSE);
	assert_int_equal(s.n_functions, 2);
	assert_string_equal(s.functions[0].name, "ant");
	assert_string_equal(s.functions[1].name, "zoo");
	assert_int_equal(s.functions[1].line, 7); /* the entry that knows its line */
	sites_release(&s);
}

static void types_keep_colons_of_names(void **state)
{
	struct sites s;

	(void)state;
	parses(&s, UNIT("0", "0") "T\tstruct std::pair\t16\tfirst:0:8\tB::second:8:8\n" CLOSE);
	assert_string_equal(s.types[0].name, "struct std::pair");
	assert_string_equal(s.types[0].fields[1].name, "B::second");
	assert_int_equal(s.types[0].fields[1].offset, 8);
	sites_release(&s);
	/* What is called by a keyword is no field: where a union or struct without a name lies. */
	parses(&s, UNIT("0", "0") "T\tstruct u\t16\ta:0:4\tunion:0:8\tb:8:8\tstruct:8:8\t:0:4\n" CLOSE);
	assert_int_equal(s.types[0].n_fields, 2);
	assert_string_equal(s.types[0].fields[1].name, "b");
	assert_int_equal(s.types[0].fixed, 4);
	assert_int_equal(s.types[0].n_unnamed, 2);
	assert_string_equal(s.types[0].unnamed[1].name, "struct");
	assert_int_equal(s.types[0].unnamed[0].bytes, 8);
	sites_release(&s);
	parses(&s, UNIT("0",
			"0") "T\tstruct u\t16\ta:0:4\tb:8:8\n"
			     "P\tstruct u\t8\ta:0:4:4:-\t-:4:1:1:app::base\tbits:5:1:0:-\tb:8:8:8:-\n" CLOSE);
	assert_int_equal(s.types[0].align, 8);
	assert_int_equal(s.types[0].n_parts, 4);
	assert_string_equal(s.types[0].parts[1].type, "app::base");
	assert_string_equal(s.types[0].parts[1].name, "");
	assert_int_equal(s.types[0].parts[2].align, 0);
	assert_int_equal(s.types[0].parts[3].offset, 8);
	sites_release(&s);
	refuses(UNIT("0", "0") "P\tstruct u\t8\ta:0:4:4:-\n" CLOSE, "without a T line");
	refuses(UNIT("0", "0") "T\tstruct u\t4\ta:0:4\nP\tstruct u\t4\ta:0:4:3:-\n" CLOSE,
		"a place, size or alignment");
	refuses(UNIT("0", "0") "T\tstruct u\t4\ta:0:4\nP\tstruct u\t4\ta:0:4:4\n" CLOSE,
		"field:offset:bytes:align:type");
	refuses(UNIT("0", "0") "T\tstruct p\t16\tfirst\n" CLOSE, "field:offset:bytes");
	refuses(UNIT("0", "0") "T\tstruct p\t16\tfirst:x:8\n" CLOSE, "no number");
}

static void innermost_field_and_array_element_are_named(void **state)
{
	struct run_field fields[] = {{"in", 0, 16}, {"in.x", 0, 8}, {"in.y", 8, 8}, {"v[4]", 16, 32}};
	struct run_type t = {.name = "struct t", .bytes = 64, .fields = fields, .n_fields = 4};
	char buf[16];

	(void)state;
	assert_int_equal(run_field_name(&t, 11, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "in.y");
	assert_int_equal(run_field_name(&t, 16 + 17, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "v[2]");
	assert_int_equal(run_field_name(&t, 48, buf, sizeof(buf)), -ENOENT); /* padding */
	assert_int_equal(run_field_name(&t, 11, buf, 3), -ENAMETOOLONG);
}

static void units_linked_without_the_plugin_stand_outside(void **state)
{
	struct sites s;

	(void)state;
	parses(&s, "L\t00000012\ta.c\n" UNIT("1", "0") NAMES CALL "L\t1\tinside.c\n" CLOSE "L\t3\tdir/b.c\n");
	assert_int_equal(s.n_units, 1);
	assert_int_equal(s.n_unlinked, 2);
	assert_string_equal(s.unlinked[0].source, "a.c");
	assert_int_equal(s.unlinked[0].calls, 12);
	assert_string_equal(s.unlinked[1].source, "dir/b.c");
	sites_release(&s);
	parses(&s, "L\t2\tonly.c\n");
	assert_int_equal(s.n_units, 0);
	assert_int_equal(s.n_unlinked, 1);
	sites_release(&s);
	refuses("L\t2\n", "expected 3");
	refuses("L\tmany\ta.c\n", "line 1");
	refuses(UNIT("1", "0") NAMES CALL CLOSE "L\t99999999999\ta.c\n", "line 6");
}

static void skipped_calls_keep_their_reason(void **state)
{
	struct sites s;

	(void)state;
	parses(&s, UNIT("0", "0") NAMES "S\tcall\tnaked function\t0\tf\t0\t33\n" CLOSE);
	assert_int_equal(s.n_skipped, 1);
	assert_string_equal(s.skipped[0].reason, "naked function");
	assert_string_equal(s.skipped[0].function, "a::b()");
	assert_int_equal(s.skipped[0].line, 33);
	assert_string_equal(s.skipped[0].site, "-");
	sites_release(&s);
	parses(&s, UNIT("0", "0") NAMES "S\tcall\trules\t0\tf\t0\t33\t00000000000000ab\n" CLOSE);
	assert_string_equal(s.skipped[0].site, "00000000000000ab");
	assert_string_equal(s.skipped[0].unit, s.units[0].source);
	sites_release(&s);
	refuses(UNIT("0", "0") NAMES "S\tcall\trules\t0\tf\t0\t33\tab\n" CLOSE, "expected 16 hex digits");
}

static void a_field_of_an_array_of_structs_is_found_in_any_element(void **state)
{
	struct run_field fields[] = {{"id", 0, 4},
				     {"slots[3]", 8, 48},
				     {"slots[3].n", 8, 8},
				     {"slots[3].m[2][2]", 16, 4},
				     {"tail", 56, 8}};
	struct run_type t = {.name = "struct pool", .bytes = 64, .fields = fields, .n_fields = 5};
	struct run_field_place p;
	char buf[64];

	(void)state;
	assert_int_equal(run_field_at(&t, 24, 8, NULL, &p), 0);
	assert_string_equal(p.name, "slots[].n");
	assert_int_equal(p.offset, 24);
	assert_int_equal(p.index[0], 1);
	assert_int_equal(run_field_name(&t, 8 + 32 + 8 + 3, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "slots[2].m[1][1]");
	assert_int_equal(run_field_at(&t, 56, 8, NULL, &p), 0);
	assert_string_equal(p.name, "tail");
}

static void an_array_without_a_bound_has_any_element(void **state)
{
	struct run_field fields[] = {
		{"cap", 0, 8}, {"it[]", 8, 8}, {"it[].key", 8, 4}, {"it[].val[2]", 12, 4}};
	struct run_type t = {.name = "struct list", .bytes = 8, .fields = fields, .n_fields = 4};
	struct run_field_place p;
	char buf[64];

	(void)state;
	assert_int_equal(run_field_name(&t, 8 + 80 + 6, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "it[10].val[1]");
	assert_int_equal(run_field_at(&t, 24, 4, NULL, &p), 0);
	assert_string_equal(p.name, "it[].key");
	assert_int_equal(p.index[0], 2);
	assert_int_equal(run_field_at(&t, 4, 4, NULL, &p), 0);
	assert_string_equal(p.name, "cap");
}

static void what_the_access_says_decides_between_fields_of_one_byte(void **state)
{
	struct run_field fields[] = {{"c", 4, 1}, {"d", 4, 4}, {"u.whole", 8, 8}, {"u.half", 8, 4}};
	struct run_type t = {.name = "struct bits", .bytes = 16, .fields = fields, .n_fields = 4};
	struct run_field_place p;

	(void)state;
	assert_int_equal(run_field_at(&t, 4, 4, "d", &p), 0);
	assert_string_equal(p.name, "d");
	assert_int_equal(run_field_at(&t, 4, 1, "c", &p), 0);
	assert_string_equal(p.name, "c");
	assert_int_equal(run_field_at(&t, 8, 0, "half", &p), 0);
	assert_string_equal(p.name, "u.half");
	assert_int_equal(run_field_at(&t, 8, 8, NULL, &p), 0);
	assert_string_equal(p.name, "u.whole");
	/* What it says is elsewhere: not believed. */
	assert_int_equal(run_field_at(&t, 8, 8, "d", &p), 0);
	assert_string_equal(p.name, "u.whole");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_line_is_resolved),
		cmocka_unit_test(language_of_a_unit_is_kept),
		cmocka_unit_test(names_may_come_after_their_use),
		cmocka_unit_test(contributions_are_concatenated_with_padding),
		cmocka_unit_test(unknown_lines_and_added_fields_are_skipped),
		cmocka_unit_test(empty_table_has_no_units),
		cmocka_unit_test(round_of_an_access_is_read),
		cmocka_unit_test(tables_without_rounds_are_read),
		cmocka_unit_test(damaged_rounds_are_refused),
		cmocka_unit_test(control_characters_stay_escaped),
		cmocka_unit_test(dash_is_not_known),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(counts_that_the_table_cannot_hold_are_refused),
		cmocka_unit_test(same_function_in_two_units_is_kept_once_and_sorted),
		cmocka_unit_test(types_keep_colons_of_names),
		cmocka_unit_test(innermost_field_and_array_element_are_named),
		cmocka_unit_test(units_linked_without_the_plugin_stand_outside),
		cmocka_unit_test(skipped_calls_keep_their_reason),
		cmocka_unit_test(a_field_of_an_array_of_structs_is_found_in_any_element),
		cmocka_unit_test(an_array_without_a_bound_has_any_element),
		cmocka_unit_test(what_the_access_says_decides_between_fields_of_one_byte),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
