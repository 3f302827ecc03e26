/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "verify/base/sha256.h"
#include "verify/base/yaml.h"

struct text {
	struct input in;
	struct vyaml doc;
	struct fault fault;
};

static int parse(struct text *t, const char *s)
{
	*t = (struct text){0};
	t->in.size = strlen(s);
	t->in.data = need(t->in.size + 1, 1);
	memcpy(t->in.data, s, t->in.size);
	return vyaml_parse(&t->doc, "x.yaml", &t->in, &t->fault);
}

static void drop(struct text *t)
{
	vyaml_release(&t->doc);
	input_release(&t->in);
}

static void refused(const char *s, const char *why)
{
	struct text t;

	if (!parse(&t, s))
		fail_msg("accepted: %s", s);
	if (!strstr(t.fault.text, why))
		fail_msg("'%s' does not say '%s'", t.fault.text, why);
	drop(&t);
}

static void maps_lists_and_brackets_are_read(void **state)
{
	struct text t;
	uint32_t list, item;
	uint64_t n = 0;
	const char *s = NULL;
	bool yes = false;

	(void)state;
	assert_int_equal(parse(&t, "# comment\na: 1 # more\nb:\n  - c: \"x\\\"\\x41\\u00e4\\n\"\n    d: "
				   "true\n\n  - {c: \"y\", e: [1, 23]}\nf:\n  g: 7\n"),
			 0);
	assert_int_equal(vyaml_number(&t.doc, 0, "a", false, 9, &n, &t.fault), 0);
	assert_int_equal(n, 1);
	assert_int_equal(vyaml_list(&t.doc, 0, "b", false, &list, &t.fault), 0);
	assert_int_equal(t.doc.node[list].n, 2);
	item = t.doc.node[list].first;
	assert_int_equal(vyaml_text(&t.doc, item, "c", false, &s, &t.fault), 0);
	assert_string_equal(s, "x\"A\xc3\xa4\n");
	assert_int_equal(vyaml_bool(&t.doc, item, "d", &yes, &t.fault), 0);
	assert_true(yes);
	item = t.doc.node[item].next;
	assert_int_equal(vyaml_list(&t.doc, item, "e", false, &list, &t.fault), 0);
	assert_string_equal(t.doc.node[t.doc.node[t.doc.node[list].first].next].text, "23");
	assert_int_equal(vyaml_number(&t.doc, vyaml_get(&t.doc, 0, "f"), "g", false, 9, &n, &t.fault), 0);
	assert_int_equal(n, 7);
	assert_int_equal(vyaml_unused(&t.doc, 0, &t.fault), 0);
	drop(&t);
}

static void what_is_not_canonical_is_refused_with_its_line(void **state)
{
	(void)state;
	refused("", "line 1");
	refused("a\n", "expected `key: value'");
	refused("a: 1\na: 2\n", "line 2: the key stands there twice");
	refused("a: {b: 1, b: 2}\n", "twice");
	refused("a: 1\n  b: 2\n", "line 2: unexpected indentation");
	refused("a:\n    b: 2\n", "expected the value");
	refused("a:\n", "expected the value");
	refused("a: \"x\n", "must end on its line");
	refused("a: \"x", "not closed");
	refused("a: \"\\q\"\n", "bad escape");
	refused("a: \"\\x00\"\n", "no character");
	refused("a: \"\\ud800\"\n", "no character");
	refused("a: [1, 2\n", "closing bracket");
	refused("a: [1,2]\n", "a comma and a blank");
	refused("a: {b:1}\n", "blank behind the colon");
	refused("a: &x 1\n", "expected a value");
	refused("a: !!str x\n", "expected a value");
	refused("a: 1 2\n", "unexpected text");
	refused("a: 1# x\n", "unexpected text");
	refused("a: \"x\" y\n", "unexpected text");
	refused("\ta: 1\n", "expected");
	refused("a:\n  - b: 1\n  c: 2\n", "mixed");
	refused("a:\n  - b: 1\n   - c: 2\n", "unexpected indentation");
	refused("--- \na: 1\n", "expected");
	refused("a: [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]\n", "too deeply");
}

static void numbers_are_plain_and_in_range(void **state)
{
	static const char *const bad[] = {"a: -1\n",
					  "a: 011\n",
					  "a: 1.0\n",
					  "a: 0x1\n",
					  "a: 11\n",
					  "a: \"1\"\n",
					  "a: 18446744073709551616\n",
					  "a: [1]\n"};
	struct text t;
	uint64_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(parse(&t, bad[i]), 0);
		assert_int_equal(vyaml_number(&t.doc, 0, "a", false, 10, &n, &t.fault), -1);
		assert_non_null(strstr(t.fault.text, "x.yaml line 1: `a` must be a number from 0 to 10"));
		drop(&t);
	}
	/* As for the readers of the documents, zeros in front mean nothing, and lines may end in CR LF. */
	assert_int_equal(parse(&t, "a: 007\r\nb: 0\r\n"), 0);
	assert_int_equal(vyaml_number(&t.doc, 0, "a", false, 10, &n, &t.fault), 0);
	assert_true(n == 7);
	drop(&t);
	assert_int_equal(parse(&t, "a: 18446744073709551615\n"), 0);
	assert_int_equal(vyaml_number(&t.doc, 0, "a", false, UINT64_MAX, &n, &t.fault), 0);
	assert_true(n == UINT64_MAX);
	assert_int_equal(vyaml_number(&t.doc, 0, "b", true, 1, &n, &t.fault), 0);
	assert_int_equal(vyaml_number(&t.doc, 0, "b", false, 1, &n, &t.fault), -1);
	drop(&t);
}

static void a_key_that_nobody_asked_for_is_refused(void **state)
{
	struct text t;

	(void)state;
	assert_int_equal(parse(&t, "a: 1\nsurprise: 2\n"), 0);
	vyaml_get(&t.doc, 0, "a");
	assert_int_equal(vyaml_unused(&t.doc, 0, &t.fault), -1);
	assert_string_equal(t.fault.text, "x.yaml line 2: unknown key `surprise`");
	drop(&t);
}

static void a_file_with_zero_bytes_is_no_text(void **state)
{
	struct text t;

	(void)state;
	t = (struct text){.in = {.data = need(4, 1), .size = 3}};
	memcpy(t.in.data, "a:\0", 3);
	assert_int_equal(vyaml_parse(&t.doc, "x", &t.in, &t.fault), -1);
	drop(&t);
}

static void sha256_gives_the_published_vectors(void **state)
{
	char hex[65];
	uint8_t a[200];

	(void)state;
	vsha256((const uint8_t *)"abc", 3, hex);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	vsha256((const uint8_t *)"", 0, hex);
	assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	vsha256((const uint8_t *)"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
	assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(a, 'a', sizeof(a));
	vsha256(a, 119, hex);
	assert_string_equal(hex, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
	vsha256(a, 64, hex);
	assert_string_equal(hex, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_lists_and_brackets_are_read),
		cmocka_unit_test(what_is_not_canonical_is_refused_with_its_line),
		cmocka_unit_test(numbers_are_plain_and_in_range),
		cmocka_unit_test(a_key_that_nobody_asked_for_is_refused),
		cmocka_unit_test(a_file_with_zero_bytes_is_no_text),
		cmocka_unit_test(sha256_gives_the_published_vectors),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
