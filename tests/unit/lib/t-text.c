/* SPDX-License-Identifier: MIT */
/* err, strbuf, num, json: what people and other programs read. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/err.h"
#include "lib/json.h"
#include "lib/num.h"
#include "lib/strbuf.h"

static void an_error_keeps_its_code_when_context_and_advice_are_added(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(err_set(&err, -ENOENT, "no file '%s'", "x"), -ENOENT);
	assert_int_equal(err_prefix(&err, "plan"), -ENOENT);
	assert_int_equal(err_advise(&err, "make one"), -ENOENT);
	assert_string_equal(err.msg, "plan: no file 'x'\n  make one");
}

static void a_long_error_is_cut_and_stays_terminated(void **state)
{
	struct err err = ERR_INIT;
	char text[2000];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&err, -EINVAL, "%s", text);
	err_prefix(&err, "%s", text);
	err_advise(&err, "%s", text);
	assert_true(strlen(err.msg) < sizeof(err.msg));
}

static void a_missing_error_object_is_allowed(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, -EIO, "x"), -EIO);
	assert_int_equal(err_prefix(NULL, "x"), 0);
}

static void text_is_broken_between_words(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_puts(&sb, "first line\nhead: ");
	strbuf_wrap(&sb, "one two three averyverylongword four", "  ", 14);
	assert_string_equal(sb.s, "first line\nhead: one two\n  three\n  averyverylongword\n  four");
	strbuf_release(&sb);
	strbuf_wrap(&sb, "short", "  ", 14);
	assert_string_equal(sb.s, "short");
	strbuf_release(&sb);
}

static void a_strbuf_grows_and_is_always_terminated(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 1000; i++)
		strbuf_printf(&sb, "%d,", i);
	assert_int_equal(strlen(sb.s), sb.len);
	assert_memory_equal(sb.s, "0,1,2,", 6);
	strbuf_release(&sb);
	assert_null(sb.s);
}

static void numbers_are_whole_and_in_range_or_refused(void **state)
{
	uint64_t n = 7;
	double x = 0;

	(void)state;
	assert_int_equal(num_u64("18446744073709551615", 0, UINT64_MAX, &n), 0);
	assert_true(n == UINT64_MAX);
	assert_int_equal(num_u64("18446744073709551616", 0, UINT64_MAX, &n), -ERANGE);
	assert_int_equal(num_u64("", 0, 9, &n), -EINVAL);
	assert_int_equal(num_u64("-1", 0, 9, &n), -EINVAL);
	assert_int_equal(num_u64("5 ", 0, 9, &n), -EINVAL);
	assert_int_equal(num_u64("10", 0, 9, &n), -ERANGE);
	assert_int_equal(num_hex("00ff", 4, &n), 0);
	assert_int_equal(n, 255);
	assert_int_equal(num_hex("00FF", 4, &n), -EINVAL);
	assert_int_equal(num_double("nan", 0, 1, &x), -EINVAL);
	assert_int_equal(num_double("1e999", 0, 1, &x), -EINVAL);
	assert_int_equal(num_double("0.5", 0, 1, &x), 0);
}

static void numbers_for_people_have_three_digits_and_a_unit(void **state)
{
	char buf[40];

	(void)state;
	assert_string_equal(num_group(buf, sizeof(buf), 612400), "612,400");
	assert_string_equal(num_group(buf, sizeof(buf), 12), "12");
	assert_string_equal(num_time(buf, sizeof(buf), 1.84), "1.84 s");
	assert_string_equal(num_time(buf, sizeof(buf), 41.4e-6), "41.4 us");
	assert_string_equal(num_time(buf, sizeof(buf), 0.99996), "1.00 s");
	assert_string_equal(num_si(buf, sizeof(buf), 2.1e6), "2.10 M");
}

static void json_is_indented_escaped_and_repaired(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	(void)state;
	json_init(&j, &sb);
	json_object(&j, NULL);
	json_string(&j, "a", "q\"\\\n\xff\xc3\xa4");
	json_array(&j, "b");
	json_double(&j, NULL, NAN);
	json_u64(&j, NULL, UINT64_MAX);
	json_end(&j);
	json_array(&j, "c");
	json_end(&j);
	json_end(&j);
	assert_string_equal(sb.s, "{\n  \"a\": \"q\\\"\\\\\\u000a\\ufffd\xc3\xa4\",\n  \"b\": [\n    null,\n"
				  "    18446744073709551615\n  ],\n  \"c\": []\n}\n");
	strbuf_release(&sb);
}

static void words_are_what_sh_reads_back(void **state)
{
	static const char *const cases[][2] = {{"/a/b-c_1.so", "/a/b-c_1.so"},
					       {"a b", "'a b'"},
					       {"it's", "'it'\\''s'"},
					       {"*", "'*'"},
					       {"", "''"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf out = STRBUF_INIT;

		strbuf_puts(&out, "");
		strbuf_word(&out, cases[i][0]);
		assert_string_equal(out.s, cases[i][1]);
		strbuf_release(&out);
	}
}

/* No control character gets through but those that make lines, in any part of a message. */
static void an_error_shows_no_control_characters(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err_set(&err, -EINVAL, "name '%s'", "a\033[31m\r\b\x7f z\tend");
	assert_string_equal(err.msg, "name 'a?[31m??? z\tend'");
	err_prefix(&err, "in '%s'", "\033c");
	err_advise(&err, "see '%s'", "\ab");
	assert_string_equal(err.msg, "in '?c': name 'a?[31m??? z\tend'\n  see '?b'");
}

/* Letters of other scripts are none. */
static void an_error_keeps_letters_of_other_scripts(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err_set(&err, -EINVAL, "%s", "m\303\274ller");
	assert_string_equal(err.msg, "m\303\274ller");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_what_sh_reads_back),
		cmocka_unit_test(an_error_keeps_its_code_when_context_and_advice_are_added),
		cmocka_unit_test(a_long_error_is_cut_and_stays_terminated),
		cmocka_unit_test(a_missing_error_object_is_allowed),
		cmocka_unit_test(an_error_shows_no_control_characters),
		cmocka_unit_test(an_error_keeps_letters_of_other_scripts),
		cmocka_unit_test(text_is_broken_between_words),
		cmocka_unit_test(a_strbuf_grows_and_is_always_terminated),
		cmocka_unit_test(numbers_are_whole_and_in_range_or_refused),
		cmocka_unit_test(numbers_for_people_have_three_digits_and_a_unit),
		cmocka_unit_test(json_is_indented_escaped_and_repaired),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
