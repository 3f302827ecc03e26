/* SPDX-License-Identifier: MIT */
/* lib/spawn/words: names in braces, figures in an output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "lib/spawn/words.h"

static bool value(void *arg, const char *name, size_t len, struct strbuf *out)
{
	(void)arg;
	if (len != 1 || *name != 'n')
		return false;
	strbuf_puts(out, "42");
	return true;
}

static void names_are_replaced_and_other_braces_stay(void **state)
{
	static const char *const pairs[][2] = {
		{"{n}", "42"},     {"a{n}b{n}", "a42b42"}, {"{m}", "{m}"}, {"{", "{"},
		{"{{n}}", "{42}"}, {"{n", "{n"},           {"{}", "{}"},   {"awk '{print}'", "awk '{print}'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct strbuf out = STRBUF_INIT;

		words_fill(pairs[i][0], value, NULL, &out);
		assert_string_equal(out.s, pairs[i][1]);
		strbuf_release(&out);
	}
}

static void the_last_figure_counts(void **state)
{
	(void)state;
	assert_true(words_figure("cost 1\ncost=2.5\n", "cost") == 2.5);
	assert_true(words_figure("  cost: 3e2", "cost") == 300);
	assert_true(isnan(words_figure("costs 1\ncost\ncost x\n", "cost")));
	assert_true(isnan(words_figure("", "cost")));
	assert_true(isinf(words_figure("cost inf\n", "cost")));
	assert_true(words_figure("cost 5 \t\r\n", "cost") == 5);
	assert_true(isnan(words_figure("cost 5x\n", "cost")));
	assert_true(isnan(words_figure("cost 4\ncost 5 ms\n", "cost")));
	assert_true(words_figure("cost 5x\ncost 4\nmore 1x\n", "cost") == 4);
}

static void names_in_braces_are_found_one_after_the_other(void **state)
{
	const char *text = "a ${x} {1} {} {a b} {n} { m } {long_2}{", *at;
	size_t len;

	(void)state;
	at = words_name(text, &len);
	assert_non_null(at);
	assert_true(len == 1 && *at == 'n');
	at = words_name(at, &len);
	assert_non_null(at);
	assert_true(len == 6 && !strncmp(at, "long_2", 6));
	assert_null(words_name(at, &len));
	assert_null(words_name("", &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_replaced_and_other_braces_stay),
		cmocka_unit_test(names_in_braces_are_found_one_after_the_other),
		cmocka_unit_test(the_last_figure_counts),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
