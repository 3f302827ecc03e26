/* SPDX-License-Identifier: MIT */
/* How far two outputs are apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/compare/numbers.h"

static struct numbers_change of(const char *a, const char *b)
{
	struct numbers_change c;

	numbers_compare(a, strlen(a), b, strlen(b), &c);
	return c;
}

static void the_largest_change_is_found_and_named(void **state)
{
	struct numbers_change c = of("t 1: 2.0, -4e-3 x\n", "t 1: 2.5, -4.4e-3 x\n");

	(void)state;
	assert_false(c.equal);
	assert_false(c.words_differ);
	assert_int_equal(c.n, 3);
	assert_int_equal(c.differ, 2);
	assert_true(fabs(c.relative - 0.2) < 1e-12);
	assert_true(c.absolute == 0.5);
	assert_int_equal(c.at, 2);
	assert_true(c.a == 2.0 && c.b == 2.5);
}

static void neighbours_are_one_ulp_apart_and_zeros_none(void **state)
{
	(void)state;
	assert_int_equal(of("1", "1.0000000000000002").ulp, 1);
	assert_int_equal(of("1", "1.0000000000000002").float_ulp, 0);
	assert_int_equal(of("1", "1.00000012").float_ulp, 1);
	assert_int_equal(of("-4.9406564584124654e-324", "4.9406564584124654e-324").ulp, 2);
	assert_int_equal(of("0", "-0").differ, 0);
	assert_false(of("0", "-0").equal);
	assert_int_equal(of("1e-45", "0").float_ulp, 1);
	assert_true(of("1e-45", "0").relative == 1);
}

static void what_is_no_number_is_a_finite_answer_as_well(void **state)
{
	(void)state;
	assert_int_equal(of("nan", "nan").differ, 0);
	assert_int_equal(of("nan", "1").ulp, UINT64_MAX);
	assert_true(isinf(of("inf", "1").relative));
	assert_int_equal(of("inf inf", "inf inf").differ, 0);
}

static void words_and_missing_numbers_are_told_apart_from_changes(void **state)
{
	(void)state;
	assert_true(of("a 1", "b 1").words_differ);
	assert_true(of("1 2", "1").words_differ);
	assert_true(of("1", "x").words_differ);
	assert_false(of("1  2\n", "1 2").words_differ);
	assert_int_equal(of("x1 v2.5", "x1 v2.5").n, 1); /* the .5 behind a word */
	assert_int_equal(of("3rd", "3rd").n, 0);
	assert_true(of("", "").equal);
}

static void what_is_not_text_is_compared_by_bits(void **state)
{
	struct numbers_change c;

	(void)state;
	numbers_compare("\0\1\3", 3, "\0\1\0", 3, &c);
	assert_false(c.text);
	assert_int_equal(c.bits, 2);
	assert_false(c.words_differ);
	numbers_compare("\0\1", 2, "\0\1\0", 3, &c);
	assert_true(c.words_differ);
	numbers_compare("\0", 1, "\0", 1, &c);
	assert_true(c.equal);
}

/* Any bytes, in memory of exactly their size. */
static void any_bytes_are_compared_and_a_text_with_itself_is_equal(void **state)
{
	static const char letters[] = "0123456789+-.eEnaif x_\n\t%\0\377";
	uint32_t seed = 7;

	(void)state;
	for (int run = 0; run < 20000; run++) {
		size_t len = (seed >> 9) % 40;
		char *a = malloc(len + 1), *b = malloc(len + 1), *exact;
		struct numbers_change c;

		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525u + 1013904223u;
			a[i] = letters[(seed >> 16) % sizeof(letters)];
			b[i] = seed & 0x300 ? a[i] : letters[(seed >> 8) % sizeof(letters)];
		}
		seed = seed * 1664525u + 1013904223u;
		exact = malloc(len ? len : 1);
		memcpy(exact, a, len);
		numbers_compare(exact, len, a, len, &c);
		assert_true(c.equal);
		assert_int_equal(c.differ, 0);
		assert_false(c.words_differ);
		numbers_compare(exact, len, b, len, &c);
		assert_true(c.differ <= c.n);
		free(exact);
		free(a);
		free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_change_is_found_and_named),
		cmocka_unit_test(neighbours_are_one_ulp_apart_and_zeros_none),
		cmocka_unit_test(what_is_no_number_is_a_finite_answer_as_well),
		cmocka_unit_test(words_and_missing_numbers_are_told_apart_from_changes),
		cmocka_unit_test(what_is_not_text_is_compared_by_bits),
		cmocka_unit_test(any_bytes_are_compared_and_a_text_with_itself_is_equal),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
