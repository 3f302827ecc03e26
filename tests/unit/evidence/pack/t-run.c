/* SPDX-License-Identifier: MIT */
/* Outside tools: status, output, limit, folder; and that no word becomes anything but a word. */
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

#include "evidence/pack/run.h"

static struct run_result run(const struct run_place *p, const char *const *argv, unsigned seconds)
{
	struct run_result r;

	assert_int_equal(run_tool(p, argv, seconds, &r, NULL), 0);
	return r;
}

static void status_and_output_are_caught(void **state)
{
	static const char *const argv[] = {"sh", "-c", "echo out; echo err >&2; exit 3", NULL};
	struct run_place p;
	struct run_result r;

	(void)state;
	assert_int_equal(run_begin(&p, NULL), 0);
	r = run(&p, argv, 60);
	assert_int_equal(r.status, 3);
	assert_false(r.too_long);
	assert_string_equal(r.out.s, "out\nerr\n");
	strbuf_release(&r.out);
	run_end(&p);
}

static void words_stay_words(void **state)
{
	static const char *const argv[] = {"printf", "%s|", "$(id)", "a b", ";ls", "*", NULL};
	struct run_place p;
	struct run_result r;

	(void)state;
	assert_int_equal(run_begin(&p, NULL), 0);
	r = run(&p, argv, 60);
	assert_string_equal(r.out.s, "$(id)|a b|;ls|*|");
	strbuf_release(&r.out);
	run_end(&p);
}

static void a_tool_that_is_not_there_has_status_127(void **state)
{
	static const char *const argv[] = {"perseus-no-such-tool", NULL};
	struct run_place p;
	struct run_result r;

	(void)state;
	assert_false(run_has(argv[0]));
	assert_true(run_has("sh"));
	assert_int_equal(run_begin(&p, NULL), 0);
	r = run(&p, argv, 60);
	assert_int_equal(r.status, 127);
	strbuf_release(&r.out);
	run_end(&p);
}

/* The tool and what it has started end; else the pipe of the inner sleep would keep cat waiting. */
static void a_tool_that_takes_too_long_is_ended(void **state)
{
	static const char *const argv[] = {"sh", "-c", "sleep 3600 | cat", NULL};
	struct run_place p;
	struct run_result r;

	(void)state;
	assert_int_equal(run_begin(&p, NULL), 0);
	r = run(&p, argv, 1);
	assert_true(r.too_long);
	assert_int_equal(r.status, 128 + 9);
	strbuf_release(&r.out);
	run_end(&p);
}

static void the_folder_is_home_and_leaves_nothing(void **state)
{
	static const char *const argv[] = {
		"sh", "-c", "test \"$HOME\" = \"$(pwd -P)\" && cat sub/file && mkdir -p a/b && touch a/b/c",
		NULL};
	struct strbuf text = STRBUF_INIT;
	struct run_place p;
	struct run_result r;
	char *dir;

	(void)state;
	assert_int_equal(run_begin(&p, NULL), 0);
	assert_int_equal(run_put(&p, "sub/file", "text", 4, NULL), 0);
	r = run(&p, argv, 60);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.out.s, "text");
	assert_int_equal(run_get(&p, "sub/file", &text), 0);
	assert_int_equal(run_get(&p, "sub/none", &text), -ENOENT);
	dir = strdup(p.dir);
	run_end(&p);
	assert_int_not_equal(access(dir, F_OK), 0);
	free(dir);
	strbuf_release(&text);
	strbuf_release(&r.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_and_output_are_caught),
		cmocka_unit_test(words_stay_words),
		cmocka_unit_test(a_tool_that_is_not_there_has_status_127),
		cmocka_unit_test(a_tool_that_takes_too_long_is_ended),
		cmocka_unit_test(the_folder_is_home_and_leaves_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
