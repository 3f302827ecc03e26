/* SPDX-License-Identifier: MIT */
/* What two programs printed: equal, in another order, or not the same. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/prove/output-lines.h"
#include "lib/fs.h"

static char path[] = "/tmp/t-output-lines.XXXXXX";

/* The lines of @text but those that match @ignore (NULL: all). */
static int lines(struct output_lines *o, const char *text, const char *ignore, struct err *err)
{
	assert_int_equal(fs_write(path, text, strlen(text), NULL), 0);
	return output_lines_read(o, path, &ignore, ignore != NULL, err);
}

/* How @a and @b compare, and what is shown of it. */
static enum output_match match(const char *a, const char *b, const char *ignore, char *shown, size_t size)
{
	struct strbuf out = STRBUF_INIT;
	struct output_lines x, y;
	struct err err = ERR_INIT;
	enum output_match m;

	assert_int_equal(lines(&x, a, ignore, &err), 0);
	assert_int_equal(lines(&y, b, ignore, &err), 0);
	m = output_lines_compare(&x, &y);
	output_lines_show(&x, &y, &out);
	snprintf(shown, size, "%s", out.s ? out.s : "");
	strbuf_release(&out);
	output_lines_release(&x);
	output_lines_release(&y);
	return m;
}

static void equal_output_is_equal(void **state)
{
	char shown[256];

	(void)state;
	assert_int_equal(match("a\nb\n", "a\nb\n", NULL, shown, sizeof(shown)), OUTPUT_EQUAL);
	assert_string_equal(shown, "");
	assert_int_equal(match("", "", NULL, shown, sizeof(shown)), OUTPUT_EQUAL);
}

static void the_same_lines_in_another_order_are_told(void **state)
{
	char shown[256];

	(void)state;
	assert_int_equal(match("a\nb\na\n", "a\na\nb\n", NULL, shown, sizeof(shown)), OUTPUT_REORDERED);
	assert_int_equal(match("a\nb\na\n", "a\nb\nb\n", NULL, shown, sizeof(shown)), OUTPUT_DIFFERS);
}

static void lines_of_one_side_are_shown(void **state)
{
	char shown[256];

	(void)state;
	assert_int_equal(match("same\nold\n", "same\nnew\n", NULL, shown, sizeof(shown)), OUTPUT_DIFFERS);
	assert_non_null(strstr(shown, "  - line 2: old\n"));
	assert_non_null(strstr(shown, "  + line 2: new\n"));
	assert_null(strstr(shown, "same"));
}

static void ignored_lines_do_not_count(void **state)
{
	char shown[256];

	(void)state;
	assert_int_equal(match("x\ntime 1 ms\n", "time 2 ms\nx\n", "^time [0-9]+", shown, sizeof(shown)),
			 OUTPUT_EQUAL);
	assert_int_equal(match("x\ntime 1 ms\n", "y\ntime 1 ms\n", "^time [0-9]+", shown, sizeof(shown)),
			 OUTPUT_DIFFERS);
}

static void a_malformed_expression_is_refused(void **state)
{
	struct output_lines o;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(lines(&o, "a\n", "(", &err), -EINVAL);
	assert_non_null(strchr(err.msg, '('));
}

static int made(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	return fd < 0;
}

static int gone(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_output_is_equal),
		cmocka_unit_test(the_same_lines_in_another_order_are_told),
		cmocka_unit_test(lines_of_one_side_are_shown),
		cmocka_unit_test(ignored_lines_do_not_count),
		cmocka_unit_test(a_malformed_expression_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, made, gone);
}
