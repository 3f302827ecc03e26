/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "codegen/view/text.h"
#include "codegen/view/wrap.h"
#include "lib/rng.h"

static char *comment(const char *s, size_t max)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, "");
	text_comment(&sb, s, max);
	return strbuf_detach(&sb);
}

static void expect_comment(const char *s, const char *want)
{
	char *got = comment(s, 100);

	assert_string_equal(got, want);
	free(got);
}

static void a_comment_cannot_be_ended_from_inside(void **state)
{
	(void)state;
	expect_comment("a */ b", "a * / b");
	expect_comment("a /* b", "a / * b");
	expect_comment("http://x", "http:/ /x");
	expect_comment("*/*/*", "* / * / * ");
}

static void a_comment_holds_no_trigraph_no_backslash_and_no_newline(void **state)
{
	(void)state;
	expect_comment("a ?\?/ b", "a ? ?/ b");
	expect_comment("a \\", "a .");
	expect_comment("a\nb\tc\x7f", "a.b.c.");
	expect_comment("\xc3\xa4", "..");
}

static void the_end_of_a_text_cannot_join_what_follows(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_puts(&sb, "*");
	text_comment(&sb, "/", 9);
	strbuf_puts(&sb, "/");
	assert_null(strstr(sb.s, "*/"));
	assert_null(strstr(sb.s, "//"));
	strbuf_release(&sb);
}

static void a_long_text_is_cut_and_says_so(void **state)
{
	char *got = comment("0123456789", 4);

	(void)state;
	assert_string_equal(got, "0123...");
	free(got);
}

/* Any bytes, wrapped as the generator does it: one comment, from its first to its last character. */
static void random_bytes_stay_inside_one_comment(void **state)
{
	struct rng rng = rng_keyed(1, 2, 3, 4);
	static const char likely[] = "*/?\\\n \"'(a";

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
		char raw[200];
		size_t n = rng_below(&rng, sizeof(raw) - 1);
		const char *end;

		for (size_t i = 0; i < n; i++)
			raw[i] = rng_below(&rng, 2) ? likely[rng_below(&rng, sizeof(likely) - 1)]
						    : (char)(1 + rng_below(&rng, 255));
		raw[n] = '\0';
		strbuf_puts(&text, "trigger 0001");
		wrap_reason(&text, raw, raw);
		wrap_comment(&out, 2, text.s);
		end = strstr(out.s, "*/");
		assert_non_null(end);
		assert_string_equal(end, "*/\n");
		assert_null(strstr(out.s + 4, "/*"));
		assert_null(strstr(out.s, "//"));
		assert_null(strstr(out.s, "?\?"));
		assert_null(strchr(out.s, '\\'));
		strbuf_release(&text);
		strbuf_release(&out);
	}
}

static void macros_are_identifiers(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	text_macro(&sb, "rx-thread <\xc3\xa4>");
	assert_string_equal(sb.s, "RX_THREAD_____");
	sb.len = 0;
	text_macro(&sb, "");
	assert_string_equal(sb.s, "X");
	sb.len = 0;
	text_macro(&sb, "0123456789012345678901234567890123456789");
	assert_int_equal(sb.len, 32);
	strbuf_release(&sb);
}

static void fields_of_the_plan_file_hold_no_blank(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_percent(&sb, "a b%\n\xe4");
	assert_string_equal(sb.s, "a%20b%25%0A%E4");
	sb.len = 0;
	strbuf_percent(&sb, "");
	assert_string_equal(sb.s, "-");
	strbuf_release(&sb);
}

static void csv_fields_are_quoted_and_no_formula(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	text_csv(&sb, "a,\"b\"\n");
	assert_string_equal(sb.s, "\"a,\"\"b\"\".\"");
	sb.len = 0;
	text_csv(&sb, "=1+1");
	assert_string_equal(sb.s, "\"'=1+1\"");
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_comment_cannot_be_ended_from_inside),
		cmocka_unit_test(a_comment_holds_no_trigraph_no_backslash_and_no_newline),
		cmocka_unit_test(the_end_of_a_text_cannot_join_what_follows),
		cmocka_unit_test(a_long_text_is_cut_and_says_so),
		cmocka_unit_test(random_bytes_stay_inside_one_comment),
		cmocka_unit_test(macros_are_identifiers),
		cmocka_unit_test(fields_of_the_plan_file_hold_no_blank),
		cmocka_unit_test(csv_fields_are_quoted_and_no_formula),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
