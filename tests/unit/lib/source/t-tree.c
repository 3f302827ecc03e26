/* SPDX-License-Identifier: MIT */
/* The sources below a directory, and no other file. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/source/tree.h"

static void put(const char *name)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fclose(f);
}

/* A directory of its own, which the test works in. */
static void begin(char *dir)
{
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(mkdir("src", 0700), 0);
	assert_int_equal(mkdir("src/sub", 0700), 0);
	put("src/b.c");
	put("src/a.hpp");
	put("src/sub/c.inl");
	put("src/notes.txt");
	put("src/.hidden.c");
	put("src/perseus_triggers.c");
	put("outside.c");
	assert_int_equal(symlink("../outside.c", "src/link.c"), 0);
	assert_int_equal(symlink("..", "src/sub/up"), 0);
}

static void end(const char *dir)
{
	char command[64];

	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

static void sources_are_listed_and_nothing_else(void **state)
{
	char dir[] = "/tmp/perseus-test.XXXXXX";
	struct err err = ERR_INIT;
	struct tree t;

	(void)state;
	begin(dir);
	assert_int_equal(tree_open(&t, "src", &err), 0);
	assert_int_equal(t.n, 0);
	tree_list(&t);
	tree_list(&t);
	assert_int_equal(t.n, 3);
	assert_string_equal(t.names[0], "a.hpp");
	assert_string_equal(t.names[1], "b.c");
	assert_string_equal(t.names[2], "sub/c.inl");
	assert_false(t.cut);
	tree_release(&t);
	end(dir);
}

static void nothing_leads_out_of_the_root(void **state)
{
	char dir[] = "/tmp/perseus-test.XXXXXX";
	struct err err = ERR_INIT;
	struct tree t;
	char *real;

	(void)state;
	begin(dir);
	assert_int_equal(tree_open(&t, "src", &err), 0);
	assert_null(tree_real(&t, "link.c"));
	assert_null(tree_real(&t, "../outside.c"));
	assert_null(tree_real(&t, "sub"));
	assert_null(tree_real(&t, "none.c"));
	real = tree_real(&t, "sub/../b.c");
	assert_non_null(real);
	assert_string_equal(tree_name(&t, real), "b.c");
	free(real);
	tree_release(&t);
	end(dir);
}

static void a_root_has_to_be_a_directory(void **state)
{
	char dir[] = "/tmp/perseus-test.XXXXXX";
	struct err err = ERR_INIT;
	struct tree t;

	(void)state;
	begin(dir);
	assert_int_equal(tree_open(&t, "src/b.c", &err), -ENOTDIR);
	assert_int_equal(tree_open(&t, "none", &err), -ENOENT);
	end(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_are_listed_and_nothing_else),
		cmocka_unit_test(nothing_leads_out_of_the_root),
		cmocka_unit_test(a_root_has_to_be_a_directory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
