/* SPDX-License-Identifier: MIT */
/* Fields of text files: what stands in them, or a refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/read/fields.h"

static char path[64];

static struct fields *open_text(const char *text)
{
	struct err err = ERR_INIT;
	struct fields *in;
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/t-fields.%d", (int)getpid());
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(fields_open(&in, path, &err), 0);
	return in;
}

static void close_text(struct fields *in)
{
	fields_close(in);
	unlink(path);
}

/* The first name of @text, and how many there are. */
static void names_are(const char *text, int n, const char *first, int row)
{
	struct err err = ERR_INIT;
	char *field[FIELDS_MAX];
	struct fields *in = open_text(text);

	assert_int_equal(fields_names(in, field, &err), n);
	if (n)
		assert_string_equal(field[0], first);
	for (int pass = 0; pass < 2; pass++) {
		assert_int_equal(fields_next(in, field, &err) > 0, row > 0);
		assert_int_equal(row ? fields_line(in) : 0, row);
		assert_int_equal(fields_rewind(in, &err), 0);
	}
	close_text(in);
}

static void names_are_found_behind_and_inside_of_comments(void **state)
{
	(void)state;
	names_are("a,b\n1,2\n", 2, "a", 2);
	names_are("#a,b\n1,2\n", 2, "a", 2);
	names_are("# made by, somebody\na,b\n1,2", 2, "a", 3);
	names_are("# one\n#a,b\n\n1,2\n", 2, "a", 4);
	names_are("# one, 2\na,b\n1,2\n", 2, "a", 3);
	names_are("\xef\xbb\xbf\"a;x\";b\n1;2\n", 2, "a;x", 2);
	names_are("", 0, NULL, 0);
}

static void quotes_hold_separators_and_quotes(void **state)
{
	struct err err = ERR_INIT;
	char *field[FIELDS_MAX];
	struct fields *in = open_text("a,b,c\n\"x, \"\"y\"\"\" , 2 ,\"\"\n\"open,2,3\n\"a\"b,2,3\n");

	(void)state;
	fields_names(in, field, &err);
	assert_int_equal(fields_next(in, field, &err), 3);
	assert_string_equal(field[0], "x, \"y\"");
	assert_string_equal(field[1], "2");
	assert_string_equal(field[2], "");
	assert_int_equal(fields_next(in, field, &err), -EINVAL);
	assert_int_equal(fields_next(in, field, &err), -EINVAL);
	close_text(in);
}

/* The number that @text is between semicolons; -1: refused. */
static double number_of(const char *first, const char *text, int *ret)
{
	struct err err = ERR_INIT;
	char *field[FIELDS_MAX], line[128];
	struct fields *in;
	double x = -1, ignored;

	snprintf(line, sizeof(line), "a;b\n%s;%s\n", first, text);
	in = open_text(line);
	fields_names(in, field, &err);
	assert_int_equal(fields_next(in, field, &err), 2);
	fields_number(in, field[0], &ignored);
	*ret = fields_number(in, field[1], &x);
	if (!*ret)
		*ret = fields_next(in, field, &err);
	close_text(in);
	return x;
}

static void a_comma_is_decimal_only_where_it_must_be(void **state)
{
	int ret;

	(void)state;
	assert_true(number_of("1", "3,25", &ret) == 3.25 && !ret);
	assert_true(number_of("1", "-0,512", &ret) == -0.512 && !ret);
	assert_true(number_of("2,5", "1,234", &ret) == 1.234 && !ret);
	number_of("1", "1,234", &ret);
	assert_int_equal(ret, -EINVAL);
	number_of("2.5", "3,25", &ret);
	assert_int_equal(ret, -EDOM);
	number_of("3,25", "2.5", &ret);
	assert_int_equal(ret, -EDOM);
	number_of("1", "1.234,5", &ret);
	assert_int_equal(ret, -EINVAL);
	number_of("1", "1,234,567", &ret);
	assert_int_equal(ret, -EINVAL);
	number_of("1", "nan", &ret);
	assert_int_equal(ret, -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_behind_and_inside_of_comments),
		cmocka_unit_test(quotes_hold_separators_and_quotes),
		cmocka_unit_test(a_comma_is_decimal_only_where_it_must_be),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
