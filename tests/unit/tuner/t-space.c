/* SPDX-License-Identifier: MIT */
/* tuner/space: values, conditions, constraints, and spaces that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/space/order.h"
#include "tuner/space/space.h"

#define HEAD "perseus: tunables\nversion: 1\ntunables:\n"

static const char *const all_kinds =
	HEAD "  - name: threads\n    kind: integer\n    low: 1\n    high: 9\n    step: 2\n    default: 5\n"
	     "  - name: blocked\n    kind: list\n    values: [0, 1]\n"
	     "  - name: tile\n    kind: power\n    low: 8\n    high: 512\n    default: 64\n"
	     "    when: \"blocked == 1\"\n"
	     "  - name: way\n    kind: list\n    values: [static, dynamic]\n"
	     "  - name: loops\n    kind: order\n    values: [i, j, k]\n    default: \"k,i,j\"\n"
	     "constraints: [\"threads * tile <= 1024\", \"way == 'static' || threads > 1\"]\n";

static void load(struct space *s, const char *text)
{
	struct err err = ERR_INIT;

	if (space_parse(s, text, strlen(text), "test", &err))
		fail_msg("%s", err.msg);
}

static void is_words(const struct space *s, const struct setting *x, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	space_words(s, x, &out);
	assert_string_equal(out.s, expected);
	strbuf_release(&out);
}

static void each_kind_has_its_values(void **state)
{
	struct space s;
	struct setting x;

	(void)state;
	load(&s, all_kinds);
	assert_int_equal(s.tunables[0].n, 5);
	assert_int_equal(s.tunables[2].n, 7);
	assert_int_equal(s.tunables[4].n, 6);
	assert_true(space_size(&s) == 5 * 2 * 7 * 2 * 6);
	x = space_default(&s);
	is_words(&s, &x, "threads=5 blocked=0 way=static loops=k,i,j");
	x.at[1] = 1;
	x.at[2] = 6;
	is_words(&s, &x, "threads=5 blocked=1 tile=512 way=static loops=k,i,j");
	assert_false(space_allowed(&s, &x)); /* 5 x 512 */
	x.at[0] = 0;
	assert_true(space_allowed(&s, &x));
	x.at[3] = 1; /* dynamic with one thread */
	assert_false(space_allowed(&s, &x));
	assert_int_equal(tunable_find(&s.tunables[0], "4"), -1);
	assert_int_equal(tunable_find(&s.tunables[2], "96"), -1);
	assert_int_equal(tunable_find(&s.tunables[4], "k,i"), -1);
	assert_int_equal(tunable_find(&s.tunables[4], "k,k,j"), -1);
	space_release(&s);
}

static void what_does_not_count_is_the_default(void **state)
{
	struct rng rng = rng_keyed(1, 2, 3, 4);
	struct space s;
	struct setting x;

	(void)state;
	load(&s, all_kinds);
	for (int i = 0; i < 1000; i++) {
		assert_true(space_random(&s, &rng, &x));
		assert_true(space_allowed(&s, &x));
		if (!x.at[1])
			assert_int_equal(x.at[2], s.tunables[2].at);
	}
	space_release(&s);
}

static void steps_stay_inside(void **state)
{
	struct rng rng = rng_keyed(1, 2, 3, 5);
	struct space s;
	struct setting x;

	(void)state;
	load(&s, all_kinds);
	x = space_default(&s);
	assert_true(space_step(&s, &x, 0, 2, &rng));
	assert_int_equal(x.at[0], 4);
	assert_false(space_step(&s, &x, 0, 1, &rng));
	assert_true(space_step(&s, &x, 3, 1, &rng));
	assert_int_equal(x.at[3], 1);
	for (int i = 0; i < 100; i++) {
		space_step(&s, &x, 4, 2, &rng);
		assert_true(x.at[4] < 6);
	}
	space_release(&s);
}

static void orders_and_their_codes(void **state)
{
	uint8_t place[5];

	(void)state;
	for (uint32_t code = 0; code < 120; code++) {
		order_decode(code, 5, place);
		assert_int_equal(order_encode(place, 5), code);
		assert_true(order_apart(code, code, 5) == 0);
	}
	assert_true(order_apart(0, 119, 5) == 1);
	assert_true(fabs(order_apart(0, 1, 5) - 0.1) < 1e-12);
	assert_true(order_apart(7, 93, 5) == order_apart(93, 7, 5));
}

/* A document that is refused, and what is said. */
static void refused(const char *tunables, const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct space s;

	strbuf_printf(&text, HEAD "%s", tunables);
	assert_int_equal(space_parse(&s, text.s, text.len, "test", &err), -22);
	if (!strstr(err.msg, expected) || !strstr(err.msg, "line "))
		fail_msg("'%s' does not say '%s'", err.msg, expected);
	strbuf_release(&text);
}

#define A "  - name: a\n    kind: integer\n    low: 1\n    high: 8\n    default: 4\n"
#define W "  - name: w\n    kind: list\n    values: [red, blue]\n"

static void a_space_that_is_none_is_refused_with_its_place(void **state)
{
	(void)state;
	refused("  - name: a\n    kind: integer\n    low: 9\n    high: 8\n", "low is above high");
	refused("  - name: a\n    kind: integer\n    low: 1\n    high: 8\n    default: 9\n",
		"default is none");
	refused("  - name: a\n    kind: power\n    low: 0\n    high: 8\n", "low must be at least 1");
	refused("  - name: 1a\n    kind: power\n    low: 1\n    high: 8\n", "no digit first");
	refused("  - name: a\n    kind: list\n    values: [x, y, x]\n", "stands twice");
	refused("  - name: a\n    kind: integer\n    low: 0\n    high: 1000000\n", "larger step");
	refused("  - name: a\n    kind: order\n    values: [a, b, c, d, e, f, g, h, i]\n", "8 words");
	refused(A A, "two tunables");
	refused(A W "    when: \"a > 8\"\n", "no setting meets this condition");
	refused(W "    when: \"a > 8\"\n" A, "does not stand before");
	refused(A "constraints: [\"a > 3\", \"a < 4\"]\n",
		"no setting meets this constraint and those before");
	refused(A "constraints: [\"a > 9\"]\n", "the space is empty");
	refused(A "constraints: [\"a > 4\"]\n", "the default setting does not meet");
	refused(A "constraints: [\"b > 4\"]\n", "there is no tunable 'b'");
	refused(A "constraints: [\"a >\"]\n", "it ends too early");
	refused(A "constraints: [\"(a > 3\"]\n", "parenthesis");
	refused(A "constraints: [\"a > 3)\"]\n", "')' is not expected");
	refused(A W "constraints: [\"w > 3\"]\n", "are words, not numbers");
	refused(A W "constraints: [\"w == 'green'\"]\n", "'w' is never \"green\"");
	refused(A W "constraints: [\"a == 'red'\"]\n", "is a word, not a number");
	refused(A "constraints: [\"a / 0 > 1\"]\n", "the space is empty");
}

static void expressions_are_read_as_in_C(void **state)
{
	static const char *const hold[] = {
		"1 + 2 * a == 9",  "(1 + 2) * a == 12", "!(a == 5) && a != 3", "a % 3 == 1",
		"10 - a - 3 == 3", "-a + 5 == 1",       "a<=4&&a>=4",          "0 || 1 && a / 2 == 2",
		"w == 'red' == 1", "'blue' != w",
	};
	char text[300];

	(void)state;
	for (size_t i = 0; i < sizeof(hold) / sizeof(hold[0]); i++) {
		struct space s;

		snprintf(text, sizeof(text), HEAD A W "constraints: [\"%s\"]\n", hold[i]);
		load(&s, text); /* which refuses it if it is not true of the default */
		space_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_has_its_values),
		cmocka_unit_test(what_does_not_count_is_the_default),
		cmocka_unit_test(steps_stay_inside),
		cmocka_unit_test(orders_and_their_codes),
		cmocka_unit_test(a_space_that_is_none_is_refused_with_its_place),
		cmocka_unit_test(expressions_are_read_as_in_C),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
