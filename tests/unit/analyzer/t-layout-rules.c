/* SPDX-License-Identifier: MIT */
/* What a struct becomes by a plan's layouts: held against what this compiler makes of the same declarations. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/patch/layouts/rules.h"

struct inner {
	int a;
	long b;
	char c;
};
struct outer {
	char tag;
	int first;
	short s[3];
	struct inner in[2];
	unsigned bits : 3, more : 11;
	char end;
};
/* The same with `first` and `in` aligned, and `b` of the inner one. */
struct inner_then {
	int a;
	_Alignas(64) long b;
	char c;
};
struct outer_then {
	char tag;
	_Alignas(64) int first;
	short s[3];
	_Alignas(128) struct inner in[2];
	unsigned bits : 3, more : 11;
	char end;
};
struct holder_then {
	char tag;
	int first;
	short s[3];
	struct inner_then in[2];
	unsigned bits : 3, more : 11;
	char end;
};

#define PART(type, field, of)                                                                                \
	{                                                                                                    \
#field, of, offsetof(struct type, field), sizeof(((struct type *)0)->field),                 \
			__alignof__(((struct type *)0)->field)                                               \
	}

static struct run_part inner_parts[] = {PART(inner, a, "-"), PART(inner, b, "-"), PART(inner, c, "-")};
static struct run_part outer_parts[] = {
	PART(outer, tag, "-"),
	PART(outer, first, "-"),
	PART(outer, s, "-"),
	PART(outer, in, "struct inner"),
	{"bits", "-", offsetof(struct outer, in) + sizeof(struct inner[2]), 1, 0},
	{"more", "-", offsetof(struct outer, in) + sizeof(struct inner[2]), 2, 0},
	PART(outer, end, "-"),
};
static struct run_type types[] = {
	{.name = "struct inner",
	 .bytes = sizeof(struct inner),
	 .align = 8,
	 .parts = inner_parts,
	 .n_parts = 3},
	{.name = "struct outer",
	 .bytes = sizeof(struct outer),
	 .align = 8,
	 .parts = outer_parts,
	 .n_parts = 7},
};
static struct run_module module = {.sites = {.types = types, .n_types = 2}};
static struct run run = {.modules = &module, .n_modules = 1};

static struct plan_layout of(const char *type, const char *field, uint32_t align)
{
	return (struct plan_layout){
		.kind = PLAN_LAYOUT_FIELD, .type = (char *)type, .field = (char *)field, .align = align};
}

static int apply(const struct plan_layout *a, const struct plan_layout *b, const struct run_type *t,
		 uint64_t *then, struct layout_room *room, struct err *err)
{
	const struct plan_layout *list[] = {a, b};
	struct layout_rules rules = {&run, list, (size_t) !!a + (size_t) !!b};

	return layout_rules_apply(&rules, t, then, room, err);
}

static void without_a_layout_a_struct_is_as_it_was(void **state)
{
	uint64_t then[7];
	struct layout_room room;

	(void)state;
	assert_int_equal(apply(NULL, NULL, &types[1], then, &room, NULL), 0);
	assert_int_equal(room.bytes, sizeof(struct outer));
	for (int i = 0; i < 7; i++)
		assert_int_equal(then[i], outer_parts[i].offset);
}

static void members_move_as_the_compiler_moves_them(void **state)
{
	struct plan_layout a = of("outer", "first", 64), b = of("struct outer", "in", 128);
	uint64_t then[7];
	struct layout_room room;

	(void)state;
	assert_int_equal(apply(&a, &b, &types[1], then, &room, NULL), 0);
	assert_int_equal(room.bytes, sizeof(struct outer_then));
	assert_int_equal(then[1], offsetof(struct outer_then, first));
	assert_int_equal(then[2], offsetof(struct outer_then, s));
	assert_int_equal(then[3], offsetof(struct outer_then, in));
	assert_int_equal(then[6], offsetof(struct outer_then, end));
}

static void a_struct_that_holds_one_that_changes_grows(void **state)
{
	struct plan_layout b = of("struct inner", "b", 64);
	uint64_t then[7];
	struct layout_room room;

	(void)state;
	assert_int_equal(apply(&b, NULL, &types[0], then, &room, NULL), 0);
	assert_int_equal(room.bytes, sizeof(struct inner_then));
	assert_int_equal(apply(&b, NULL, &types[1], then, &room, NULL), 0);
	assert_int_equal(then[3], offsetof(struct holder_then, in));
	assert_int_equal(room.bytes, sizeof(struct holder_then));
}

static void bits_that_move_by_part_of_an_alignment_are_refused(void **state)
{
	/* The bit-fields would move by 4 in a struct that is aligned to 8. */
	struct run_part parts[] = {
		{"a", "-", 0, 4, 4}, {"b", "-", 4, 4, 4}, {"bits", "-", 8, 1, 0}, {"l", "-", 16, 8, 8}};
	struct run_type t = {.name = "struct t", .bytes = 24, .align = 8, .parts = parts, .n_parts = 4};
	struct plan_layout b = of("struct t", "b", 64), l = of("struct t", "l", 64);
	struct layout_room room;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(apply(&b, NULL, &t, NULL, &room, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "`bits` of struct t is a bit-field"));
	assert_int_equal(apply(&l, NULL, &t, NULL, &room, NULL), 0);
	assert_int_equal(room.bytes, 128);
}

static void what_the_rules_do_not_give_is_refused(void **state)
{
	struct run_part parts[] = {{"c", "-", 0, 1, 1}, {"a", "-", 1, 8, 8}};
	struct run_type packed = {.name = "struct p", .bytes = 9, .align = 1, .parts = parts, .n_parts = 2};
	struct run_type old = {.name = "struct o", .bytes = 8};
	struct layout_room room;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(apply(NULL, NULL, &packed, NULL, &room, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "lies elsewhere than the rules of the ABI say"));
	assert_int_equal(apply(NULL, NULL, &old, NULL, &room, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "build and record again"));
}

static void what_lies_behind_a_base_that_changes_is_refused(void **state)
{
	struct run_part own[] = {{"a", "-", 0, 8, 8}, {"b", "-", 8, 8, 8}};
	struct run_part derived[] = {{"", "base", 0, 16, 8}, {"", "none", 0, 1, 1}, {"c", "-", 16, 8, 8}};
	struct run_type ts[] = {{.name = "base", .bytes = 16, .align = 8, .parts = own, .n_parts = 2},
				{.name = "of", .bytes = 24, .align = 8, .parts = derived, .n_parts = 3}};
	struct run_module m = {.sites = {.types = ts, .n_types = 2}};
	struct run two = {.modules = &m, .n_modules = 1};
	struct plan_layout b = of("base", "b", 64), c = of("of", "c", 64);
	const struct plan_layout *both[] = {&b, &c};
	struct layout_rules one = {&two, both + 1, 1}, all = {&two, both, 2};
	struct layout_room room;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(layout_rules_apply(&one, &ts[1], NULL, &room, NULL), 0);
	assert_int_equal(room.bytes, 128);
	assert_int_equal(layout_rules_apply(&all, &ts[1], NULL, &room, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "base, a base class of of, changes"));
	assert_int_equal(layout_rules_apply(&all, &ts[0], NULL, &room, NULL), 0);
	assert_int_equal(room.bytes, 128);
}

static void names_of_one_type_are_the_same(void **state)
{
	(void)state;
	assert_true(layout_same_type("struct job", "job"));
	assert_true(layout_same_type("app::pair<long int>", "app::pair<longint>"));
	assert_false(layout_same_type("struct job", "jobs"));
	assert_false(layout_same_type("app::job", "job"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_layout_a_struct_is_as_it_was),
		cmocka_unit_test(members_move_as_the_compiler_moves_them),
		cmocka_unit_test(a_struct_that_holds_one_that_changes_grows),
		cmocka_unit_test(bits_that_move_by_part_of_an_alignment_are_refused),
		cmocka_unit_test(what_the_rules_do_not_give_is_refused),
		cmocka_unit_test(what_lies_behind_a_base_that_changes_is_refused),
		cmocka_unit_test(names_of_one_type_are_the_same),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
