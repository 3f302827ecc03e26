/* SPDX-License-Identifier: MIT */
/* A pack takes the place of an older one, and of nothing that somebody has put there. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "evidence/pack/pack.h"
#include "lib/fs.h"

static char top[64], dir[96];
static const char *note; /* what somebody puts into the pack just before it is replaced */
static int refuses;      /* errno of a file system that cannot exchange */

/* In the place of the C library's. */
int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned int flags)
{
	if (note)
		assert_int_equal(fs_write(note, "note", 4, NULL), 0);
	if (refuses && flags) {
		errno = refuses;
		return -1;
	}
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

static int begin(void **state)
{
	(void)state;
	strcpy(top, "/tmp/perseus-store-XXXXXX");
	assert_non_null(mkdtemp(top));
	snprintf(dir, sizeof(dir), "%s/pack", top);
	note = NULL;
	refuses = 0;
	return 0;
}

static int end(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	return system(command);
}

static int store(const char *text, struct err *err)
{
	struct evidence_file one = {.path = (char *)(uintptr_t) "a.md", .role = "text"};
	struct evidence p = {.files = {.at = &one, .n = 1}};
	int ret;

	strbuf_puts(&one.text, text);
	ret = evidence_store(&p, dir, err);
	strbuf_release(&one.text);
	return ret;
}

static void is_text(const char *path, const char *expected)
{
	struct strbuf text = STRBUF_INIT;

	assert_int_equal(fs_read(path, 0, &text, NULL), 0);
	assert_string_equal(text.s, expected);
	strbuf_release(&text);
}

/* What there is beside the pack, the last of it in @name. */
static int others(char *name, size_t size)
{
	DIR *d = opendir(top);
	struct dirent *e;
	int n = 0;

	while ((e = readdir(d)))
		if (*e->d_name != '.' && strcmp(e->d_name, "pack")) {
			snprintf(name, size, "%s/%s", top, e->d_name);
			n++;
		}
	closedir(d);
	return n;
}

static void replace(void)
{
	char path[PATH_MAX], other[PATH_MAX];
	struct err err = ERR_INIT;

	assert_int_equal(store("one", &err), 0);
	assert_int_equal(store("two", &err), 0);
	snprintf(path, sizeof(path), "%s/a.md", dir);
	is_text(path, "two");
	assert_int_equal(others(other, sizeof(other)), 0);
}

static void an_older_pack_is_replaced(void **state)
{
	(void)state;
	replace();
}

static void also_where_folders_cannot_be_exchanged(void **state)
{
	(void)state;
	refuses = EINVAL;
	replace();
}

static void put_in_between(void)
{
	char path[PATH_MAX], other[PATH_MAX];
	struct err err = ERR_INIT;

	assert_int_equal(store("one", &err), 0);
	snprintf(path, sizeof(path), "%s/note.txt", dir);
	note = path;
	assert_int_equal(store("two", &err), -ENOTEMPTY);
	assert_non_null(strstr(err.msg, "the pack is written, and what was there is kept"));
	assert_non_null(strstr(err.msg, "holds 'note.txt'"));
	assert_int_equal(others(other, sizeof(other)), 1);
	strcat(other, "/note.txt");
	is_text(other, "note");
	snprintf(path, sizeof(path), "%s/a.md", dir);
	is_text(path, "two");
}

static void what_somebody_put_there_meanwhile_is_kept(void **state)
{
	(void)state;
	put_in_between();
}

static void also_that_where_folders_cannot_be_exchanged(void **state)
{
	(void)state;
	refuses = ENOSYS;
	put_in_between();
}

#define test(NAME) cmocka_unit_test_setup_teardown(NAME, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(an_older_pack_is_replaced),
		test(also_where_folders_cannot_be_exchanged),
		test(what_somebody_put_there_meanwhile_is_kept),
		test(also_that_where_folders_cannot_be_exchanged),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
