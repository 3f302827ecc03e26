/* SPDX-License-Identifier: MIT */
/* lib/read/json-read: what is JSON is read, what is not is refused, and nothing else happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/read/json-read.h"
#include "lib/rng.h"
#include "tests/unit/fuzz.h"

static int reads(const char *text, struct json_value *v, struct err *err)
{
	return json_read(v, text, strlen(text), "t.json", err);
}

static void every_kind_of_value_is_read(void **state)
{
	struct json_value v;
	const struct json_value *list;

	(void)state;
	assert_int_equal(
		reads(" {\"a\": [1, -0.5e2, true, false, null], \"b\": {}, \"c\": \"x\"}\n", &v, NULL), 0);
	list = json_member(&v, "a");
	assert_int_equal(list->n, 5);
	assert_true(list->at[0].number == 1 && list->at[1].number == -50);
	assert_int_equal(list->at[2].kind, JSON_TRUE);
	assert_int_equal(list->at[3].kind, JSON_FALSE);
	assert_int_equal(list->at[4].kind, JSON_NULL);
	assert_int_equal(json_member(&v, "b")->kind, JSON_OBJECT);
	assert_string_equal(json_text_of(&v, "c", "-"), "x");
	assert_string_equal(json_text_of(&v, "a", "-"), "-");
	assert_true(json_number_of(&v, "c", 7) == 7);
	assert_true(json_bool_of(&v, "d", true));
	assert_null(json_member(list, "a"));
	json_release(&v);
}

static void escapes_become_characters(void **state)
{
	struct json_value v;

	(void)state;
	assert_int_equal(reads("\"\\u003c\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20AC\\ud83d\\ude00\"", &v, NULL),
			 0);
	assert_string_equal(v.text, "<\"\\/\b\f\n\r\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	json_release(&v);
}

static void what_is_not_json_is_refused_with_its_line(void **state)
{
	static const char *const bad[] = {
		"",
		" ",
		"{",
		"[1,",
		"[1,]",
		"{\"a\"}",
		"{\"a\":}",
		"{a: 1}",
		"{\"a\": 1,}",
		"[1] 2",
		"01",
		"+1",
		".5",
		"1.",
		"1e",
		"nul",
		"tru",
		"Null",
		"NaN",
		"1e999",
		"'a'",
		"\"a",
		"\"\\x\"",
		"\"\\u12\"",
		"\"\\u0000\"",
		"\"\\ud800\"",
		"\"\\udc00\"",
		"\"\\ud800\\u0041\"",
		"\"\t\"",
		"\"\xff\"",
		"\"\xc3\"",
		"\"\xc0\xaf\"",
		"// x\n1",
		"[1 2]",
		"{\"a\" 1}",
		"]",
		"-",
		"1111111111111111111111111111111111111111111111111111111111111111111",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = ERR_INIT;
		struct json_value v;

		if (reads(bad[i], &v, &err) != -EINVAL || !strstr(err.msg, "'t.json' is not JSON: line "))
			fail_msg("%s: %s", bad[i], err.msg);
		assert_int_equal(v.n, 0);
	}
}

static void a_line_is_counted_from_one(void **state)
{
	struct err err = ERR_INIT;
	struct json_value v;

	(void)state;
	assert_int_equal(reads("{\n\"a\": 1,\n\"b\" 2}", &v, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "line 3: a member without a colon"));
}

static void nesting_is_bounded(void **state)
{
	char text[2 * JSON_DEPTH + 3] = "";
	struct err err = ERR_INIT;
	struct json_value v;

	(void)state;
	memset(text, '[', JSON_DEPTH);
	memset(text + JSON_DEPTH, ']', JSON_DEPTH);
	assert_int_equal(reads(text, &v, &err), 0);
	json_release(&v);
	memset(text, '[', JSON_DEPTH + 1);
	assert_int_equal(reads(text, &v, &err), -E2BIG);
}

/* What our writer writes comes back. */
static void what_is_written_is_read(void **state)
{
	static const char name[] = "a \"b\" \\ \n\x01 \xe2\x80\xae \xf0\x9f\x98\x80 <script>";
	struct strbuf sb = STRBUF_INIT;
	struct json_value v;
	struct json j;

	(void)state;
	json_init(&j, &sb);
	json_object(&j, NULL);
	json_string(&j, "name", name);
	json_double(&j, "x", 1.25e-9);
	json_u64(&j, "n", 123456789);
	json_end(&j);
	assert_int_equal(json_read(&v, sb.s, sb.len, "t", NULL), 0);
	assert_string_equal(json_text_of(&v, "name", ""), name);
	assert_true(json_number_of(&v, "x", 0) == 1.25e-9 && json_number_of(&v, "n", 0) == 123456789);
	json_release(&v);
	strbuf_release(&sb);
}

static const char example[] =
	"{\"schema\": 1, \"functions\": [{\"name\": \"f\\u003c\\ud83d\\ude00\", \"self_ns\": 1.5e3, \"at\": "
	"null},"
	" {\"name\": \"g\", \"about\": false, \"hist\": [0, 1, [2, {}], []]}], \"t\": true}";

static void mutate(char *text, size_t *len, struct rng *rng)
{
	static const char tokens[] = "{}[]\",:\\u0d8e-+.1tfn\x01\xff\xc3 ";

	for (uint64_t edits = 1 + rng_below(rng, 3); edits--;) {
		size_t at = rng_below(rng, *len);

		if (rng_below(rng, 3)) {
			text[at] = tokens[rng_below(rng, sizeof(tokens) - 1)];
		} else {
			memmove(text + at, text + at + 1, *len - at - 1);
			--*len;
		}
	}
}

/* In a block of exactly its length, so that a sanitizer sees a byte read behind it. */
static void mutated_documents_do_no_harm(void **state)
{
	unsigned long rounds = fuzz_rounds(20000), read = 0;

	(void)state;
	for (unsigned long round = 0; round < rounds; round++) {
		struct rng rng = rng_keyed(3, round, 0, fuzz_seed());
		size_t len = sizeof(example) - 1;
		char *text = malloc(len), *exact;
		struct err err = ERR_INIT;
		struct json_value v;

		memcpy(text, example, len);
		mutate(text, &len, &rng);
		if (rng_below(&rng, 4) == 0)
			len = rng_below(&rng, len);
		exact = malloc(len + !len);
		memcpy(exact, text, len);
		if (!json_read(&v, exact, len, "fuzz", &err))
			read++;
		else
			assert_true(err.code < 0 && *err.msg);
		json_release(&v);
		free(exact);
		free(text);
	}
	assert_in_range(read, rounds / 50, rounds - rounds / 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_value_is_read),
		cmocka_unit_test(escapes_become_characters),
		cmocka_unit_test(what_is_not_json_is_refused_with_its_line),
		cmocka_unit_test(a_line_is_counted_from_one),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(mutated_documents_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
