/* SPDX-License-Identifier: MIT */
/* Comma-separated values: what is read, what is refused, and no input that does harm. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "evidence/pack/csv.h"
#include "lib/rng.h"

static int parse(struct csv_rows *rows, const char *text, struct err *err)
{
	*rows = (struct csv_rows)VEC_INIT;
	return csv_parse(rows, text, strlen(text), "x.csv", err);
}

static void fields_are_separated_by_commas_and_trimmed(void **state)
{
	struct csv_rows rows;

	(void)state;
	assert_int_equal(parse(&rows, "a, b ,c\r\n\n,,\nlast", NULL), 0);
	assert_int_equal(rows.n, 3);
	assert_string_equal(csv_field(&rows.at[0], 1), "b");
	assert_string_equal(csv_field(&rows.at[0], 2), "c");
	assert_int_equal(rows.at[1].fields.n, 3);
	assert_string_equal(csv_field(&rows.at[1], 2), "");
	assert_int_equal(rows.at[2].line, 4);
	assert_string_equal(csv_field(&rows.at[2], 7), "");
	csv_release(&rows);
}

static void quotes_hold_anything(void **state)
{
	struct csv_rows rows;

	(void)state;
	assert_int_equal(parse(&rows, "\"a,\"\"b\"\"\nc\",d\ne", NULL), 0);
	assert_string_equal(csv_field(&rows.at[0], 0), "a,\"b\"\nc");
	assert_string_equal(csv_field(&rows.at[0], 1), "d");
	assert_int_equal(rows.at[1].line, 3);
	csv_release(&rows);
}

static void faults_are_named_with_their_line(void **state)
{
	static const char *const bad[] = {"a\n\"open", "a\n\"x\"y", "a\nb\"c", "a\nb\001"};
	struct err err = ERR_INIT;
	struct csv_rows rows;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(&rows, bad[i], &err), -EINVAL);
		assert_non_null(strstr(err.msg, "x.csv line 2: "));
		csv_release(&rows);
	}
}

/* Random bytes from what matters to the reader: it ends, and each row has a field. */
static void random_texts_do_no_harm(void **state)
{
	static const char bytes[] = ",,\"\"\n\r\t ab\\\001";

	(void)state;
	for (uint64_t n = 0; n < 20000; n++) {
		struct rng r = rng_keyed(1, n, 0, 0);
		size_t len = (size_t)(rng_u64(&r) % 40);
		struct csv_rows rows = VEC_INIT;
		char text[40];

		for (size_t i = 0; i < len; i++)
			text[i] = bytes[rng_u64(&r) % sizeof(bytes)];
		csv_parse(&rows, text, len, "x", NULL);
		for (size_t i = 0; i < rows.n; i++)
			assert_true(rows.at[i].fields.n > 0);
		csv_release(&rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_separated_by_commas_and_trimmed),
		cmocka_unit_test(quotes_hold_anything),
		cmocka_unit_test(faults_are_named_with_their_line),
		cmocka_unit_test(random_texts_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
