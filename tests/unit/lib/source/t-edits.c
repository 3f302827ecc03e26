/* SPDX-License-Identifier: MIT */
/* Changes to a text and their diff, byte by byte. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/source/edits.h"

static const char text[] = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";

static void check(struct edits *e, const char *from, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, "");
	edits_diff(&sb, e, "f.c", from, strlen(from));
	assert_string_equal(sb.s, want);
	strbuf_release(&sb);
	edits_release(e);
}

static void test_insert_line(void **state)
{
	struct edits e = {0};

	(void)state;
	assert_int_equal(edits_add(&e, 8, 0, "new\n", NULL), 0);
	check(&e, text, "--- a/f.c\n+++ b/f.c\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n");
}

static void test_two_hunks(void **state)
{
	struct edits e = {0};

	(void)state;
	assert_int_equal(edits_add(&e, strstr(text, "17") - text, 2, "x\ny", NULL), 0);
	assert_int_equal(edits_add(&e, 0, 1, "one", NULL), 0);
	check(&e, text,
	      "--- a/f.c\n+++ b/f.c\n@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n"
	      "@@ -14,7 +14,8 @@\n 14\n 15\n 16\n-17\n+x\n+y\n 18\n 19\n 20\n");
}

/* Neighbours share their context. */
static void test_one_hunk(void **state)
{
	struct edits e = {0};

	(void)state;
	assert_int_equal(edits_add(&e, 6, 1, "four", NULL), 0);
	assert_int_equal(edits_add(&e, 14, 1, "eight", NULL), 0);
	check(&e, text,
	      "--- a/f.c\n+++ b/f.c\n@@ -1,11 +1,11 @@\n 1\n 2\n 3\n-4\n+four\n 5\n 6\n 7\n-8\n+eight\n 9\n "
	      "10\n 11\n");
}

static void test_ends(void **state)
{
	struct edits e = {0};

	(void)state;
	assert_int_equal(edits_add(&e, 3, 0, "c", NULL), 0);
	check(&e, "a\nb",
	      "--- a/f.c\n+++ b/f.c\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+bc\n"
	      "\\ No newline at end of file\n");
	assert_int_equal(edits_add(&e, 1, 0, ";\r\nint", NULL), 0);
	check(&e, "a\r\nb\r\n", "--- a/f.c\n+++ b/f.c\n@@ -1,2 +1,3 @@\n-a\r\n+a;\r\n+int\r\n b\r\n");
	check(&e, "a\n", "");
}

static void test_meeting(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct edits e = {0}, copy;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(edits_add(&e, 2, 3, "x", &err), 0);
	assert_int_equal(edits_add(&e, 2, 3, "x", &err), 0);
	assert_int_equal(e.n, 1);
	assert_int_equal(edits_add(&e, 4, 2, "y", &err), -EEXIST);
	assert_int_equal(edits_add(&e, 5, 0, "a", &err), 0);
	assert_int_equal(edits_add(&e, 5, 0, "b", &err), 0);
	edits_copy(&copy, &e);
	edits_release(&e);
	edits_apply(&sb, &copy, "0123456789", 10);
	assert_string_equal(sb.s, "01xab56789");
	strbuf_release(&sb);
	edits_release(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_insert_line), cmocka_unit_test(test_two_hunks),
		cmocka_unit_test(test_one_hunk),    cmocka_unit_test(test_ends),
		cmocka_unit_test(test_meeting),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
