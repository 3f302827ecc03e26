/* SPDX-License-Identifier: MIT */
/* Functions found in generated C: names, lines, users, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "evidence/pack/outline.h"

static void read(struct outline *o, const char *text)
{
	*o = (struct outline){0};
	outline_add_constants(o, text);
	outline_add_file(o, "a.c", text);
	outline_finish(o);
}

static uint32_t number(const struct outline *o, const char *name)
{
	const struct outline_function *f = outline_find(o, name);

	assert_non_null(f);
	return (uint32_t)(f - o->functions.at);
}

static const char sample[] =
	"#define N (3u) /* three */\n"
	"/* int no(void)\n{\n} */\n"
	"static int one(int a)\n{\n\tif (a == '{') {\n\t\ta++;\n\t}\n\treturn a;\n}\n"
	"__attribute__((visibility(\"default\"))) void two(void (*f)(void),\n\t\t\tint b)\n{\n"
	"\tuint32_t i;\n\n\tfor (i = 0u; i < N; i++) {\n\t\tb = one(b);\n\t}\n"
	"\tswitch (b) {\n\tcase 1u:\n\t\tone(one(b)); // one(b)\n\t\tbreak;\n\tdefault:\n\t\tbreak;\n\t}\n}\n"
	"void down(void)\n{\n\tfor (i = N; i > 0u; i--) {\n\t}\n}\n";

static void names_and_lines(void **state)
{
	struct outline o;

	(void)state;
	read(&o, sample);
	assert_int_equal(o.functions.n, 3);
	assert_int_equal(outline_find(&o, "one")->first, 5);
	assert_int_equal(outline_find(&o, "one")->last, 11);
	assert_true(outline_find(&o, "one")->internal);
	assert_int_equal(outline_find(&o, "two")->first, 12);
	assert_false(outline_find(&o, "two")->internal);
	assert_null(outline_find(&o, "no"));
	assert_null(outline_find(&o, "on"));
	outline_release(&o);
}

/* Of two(): the loop's test 4 times, a case, one() 3 times in the loop and twice in the case. */
static void branches_with_loops_and_callees(void **state)
{
	struct outline o;

	(void)state;
	read(&o, sample);
	assert_int_equal(outline_branches(&o, number(&o, "one")), 1);
	assert_int_equal(outline_find(&o, "two")->branches, 5);
	assert_int_equal(outline_branches(&o, number(&o, "two")), 10);
	assert_int_equal(outline_branches(&o, number(&o, "down")), 4);
	assert_int_equal(outline_depth(&o, number(&o, "two")), 2);
	outline_release(&o);
}

static void no_literal_bound_and_recursion_are_seen(void **state)
{
	struct outline o;

	(void)state;
	read(&o, "void a(int n)\n{\n\tfor (i = 0u; i < n; i++) {\n\t}\n}\n"
		 "void b(void)\n{\n\twhile (x) {\n\t}\n}\n"
		 "void c(void)\n{\n\td();\n\td();\n}\n"
		 "void d(void)\n{\n\tc();\n}\n"
		 "void e(void)\n{\n\ta(1);\n}\n");
	for (uint32_t i = 0; i < 5; i++)
		assert_true(outline_branches(&o, i) == UINT64_MAX);
	assert_int_equal(outline_depth(&o, number(&o, "c")), 0);
	assert_int_equal(outline_depth(&o, number(&o, "e")), 2);
	outline_release(&o);
}

static void what_never_ends_is_read(void **state)
{
	static const char *const texts[] = {"",
					    "/*",
					    "\"",
					    "'\\",
					    "#define",
					    "\n{\n",
					    "void f(\n{\n}\n",
					    "f()\n{\n",
					    "#define A (",
					    "x(y)\n{\nfor (\n}\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct outline o;

		read(&o, texts[i]);
		outline_release(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_lines),
		cmocka_unit_test(branches_with_loops_and_callees),
		cmocka_unit_test(no_literal_bound_and_recursion_are_seen),
		cmocka_unit_test(what_never_ends_is_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("outline", tests, NULL, NULL);
}
