/* SPDX-License-Identifier: MIT */
/* Writing a file in a directory that others can write, too; what is in a directory. */
#include <dirent.h>
#include <dlfcn.h>
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
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/fs.h"

/* Instead of the library's: names that are given before the disk fails; negative: it does not. */
static int names_left = -1;

struct dirent *readdir(DIR *d)
{
	struct dirent *(*real)(DIR *);

	*(void **)&real = dlsym(RTLD_NEXT, "readdir");
	if (names_left < 0 || names_left--)
		return real(d);
	errno = EIO;
	return NULL;
}

static char dir[] = "/tmp/t-fs.XXXXXX";
static char out[PATH_MAX], precious[PATH_MAX];

static void is_text(const char *path, const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(fs_read(path, 0, &text, &err), 0);
	assert_string_equal(text.s, expected);
	strbuf_release(&text);
}

static void save(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static int begin(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/t-fs.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(precious, sizeof(precious), "%s/precious", dir);
	umask(022);
	return 0;
}

static int end(void **state)
{
	char command[PATH_MAX + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Links wait where a name made of the process's number would be. */
static void a_link_that_waits_is_not_followed(void **state)
{
	char trap[PATH_MAX];

	(void)state;
	save(precious, "precious");
	for (int i = -2; i < 3; i++) {
		snprintf(trap, sizeof(trap), "%s/out.%ld.tmp", dir, (long)getpid() + i);
		assert_int_equal(symlink(precious, trap), 0);
	}
	assert_int_equal(fs_write(out, "new", 3, NULL), 0);
	is_text(out, "new");
	is_text(precious, "precious");
}

/* The name of the only file but the output that was created in the directory since. */
static void created(int watch, char name[NAME_MAX + 1])
{
	char buffer[4096] __attribute__((aligned(8)));
	ssize_t n = read(watch, buffer, sizeof(buffer));

	name[0] = '\0';
	for (char *p = buffer; n > 0 && p < buffer + n;) {
		struct inotify_event *e = (struct inotify_event *)p;

		assert_string_equal(name, "");
		strcpy(name, e->name);
		p += sizeof(*e) + e->len;
	}
}

static void nobody_knows_the_temporary_name(void **state)
{
	int watch = inotify_init1(IN_NONBLOCK);
	char first[NAME_MAX + 1], second[NAME_MAX + 1], own[32];

	(void)state;
	assert_true(watch >= 0 && inotify_add_watch(watch, dir, IN_CREATE) >= 0);
	assert_int_equal(fs_write(out, "a", 1, NULL), 0);
	created(watch, first);
	assert_int_equal(fs_write(out, "b", 1, NULL), 0);
	created(watch, second);
	snprintf(own, sizeof(own), "out.%ld.tmp", (long)getpid());
	assert_string_not_equal(first, own);
	assert_string_not_equal(first, second);
	assert_int_equal(strncmp(first, "out.", 4), 0);
	close(watch);
}

static void what_is_written_has_the_modes_of_the_umask(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(fs_write(out, "new", 3, NULL), 0);
	assert_int_equal(stat(out, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	umask(077);
	assert_int_equal(fs_write(out, "newer", 5, NULL), 0);
	assert_int_equal(stat(out, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	is_text(out, "newer");
}

/* The old file stays, and no other. */
static void a_failure_leaves_nothing(void **state)
{
	struct err err = ERR_INIT;
	char inside[PATH_MAX + 8];

	(void)state;
	assert_int_equal(mkdir(out, 0700), 0);
	snprintf(inside, sizeof(inside), "%s/x", out);
	save(inside, "x");
	assert_true(fs_write(out, "new", 3, &err) < 0);
	assert_non_null(strstr(err.msg, "cannot write"));
	is_text(inside, "x");
	unlink(inside);
	rmdir(out);
	assert_int_equal(rmdir(dir), 0);
}

/* Where a link was is a file afterwards; what it led to is as before. */
static void a_link_is_replaced_by_the_file(void **state)
{
	struct stat st;

	(void)state;
	save(precious, "precious");
	assert_int_equal(symlink(precious, out), 0);
	assert_int_equal(fs_write(out, "new", 3, NULL), 0);
	assert_int_equal(lstat(out, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	is_text(precious, "precious");
}

/* Only root can make it look as if somebody else had made it. */
static void a_pipe_of_somebody_else_is_refused(void **state)
{
	struct err err = ERR_INIT;
	char buffer[8];
	int fd;

	(void)state;
	assert_int_equal(mkfifo(precious, 0600), 0);
	assert_int_equal(symlink(precious, out), 0);
	fd = open(precious, O_RDONLY | O_NONBLOCK);
	assert_int_equal(fs_write(out, "new", 3, &err), 0);
	assert_int_equal(read(fd, buffer, sizeof(buffer)), 3);
	if (!geteuid()) {
		assert_int_equal(lchown(out, 1234, 1234), 0);
		assert_int_equal(fs_write(out, "new", 3, &err), -EPERM);
		assert_int_equal(read(fd, buffer, sizeof(buffer)), 0);
	}
	close(fd);
}

static void a_file_is_the_same_by_any_name(void **state)
{
	(void)state;
	save(precious, "precious");
	assert_false(fs_same(precious, out));
	assert_int_equal(symlink(precious, out), 0);
	assert_true(fs_same(precious, out));
	assert_true(fs_same(precious, precious));
	unlink(out);
	save(out, "precious");
	assert_false(fs_same(precious, out));
	/* Nothing is lost there. */
	assert_false(fs_same("/dev/null", "/dev/null"));
}

#define test(NAME) cmocka_unit_test_setup_teardown(NAME, begin, end)

static void what_is_written_in_pieces_is_there_at_the_end_or_not_at_all(void **state)
{
	struct err err = ERR_INIT;
	struct fs_file f;

	(void)state;
	save(out, "old");
	assert_int_equal(fs_begin(&f, out, &err), 0);
	assert_true(fputs("new", f.to) >= 0);
	is_text(out, "old");
	assert_int_equal(fs_end(&f, false, &err), 0);
	is_text(out, "old");
	assert_int_equal(fs_begin(&f, out, &err), 0);
	assert_true(fputs("new", f.to) >= 0);
	assert_int_equal(fs_end(&f, true, &err), 0);
	is_text(out, "new");
	assert_int_equal(fs_begin(&f, "/dev/full", &err), 0);
	assert_true(fputs("new", f.to) >= 0);
	assert_int_equal(fs_end(&f, true, &err), -ENOSPC);
	assert_non_null(strstr(err.msg, "/dev/full"));
}

static void a_temporary_directory_goes_with_all_that_is_in_it(void **state)
{
	char path[PATH_MAX], inside[PATH_MAX + 32];
	struct err err = ERR_INIT;

	(void)state;
	setenv("TMPDIR", dir, 1);
	assert_int_equal(fs_make_temporary(path, "t", &err), 0);
	assert_int_equal(strncmp(path, dir, strlen(dir)), 0);
	snprintf(inside, sizeof(inside), "%s/a/b", path);
	assert_int_equal(fs_mkdirs(inside, &err), 0);
	snprintf(inside, sizeof(inside), "%s/a/b/link", path);
	save(precious, "precious");
	assert_int_equal(symlink(precious, inside), 0);
	fs_remove_all(path);
	assert_int_equal(access(path, F_OK), -1);
	is_text(precious, "precious");
	fs_remove_all("");
	setenv("TMPDIR", "/nowhere", 1);
	assert_int_equal(fs_make_temporary(path, "t", &err), -ENOENT);
	assert_string_equal(path, "");
	unsetenv("TMPDIR");
}

static bool is_short(const char *name)
{
	return strlen(name) == 1 && *name != '.';
}

static void a_list_has_all_names_in_order_or_is_an_error(void **state)
{
	struct fs_names names = VEC_INIT;
	struct err err = ERR_INIT;
	char path[PATH_MAX + 8];

	(void)state;
	for (const char *name = "cab"; *name; name++) {
		snprintf(path, sizeof(path), "%s/%c", dir, *name);
		save(path, "");
	}
	save(precious, "");
	assert_int_equal(fs_list(dir, is_short, &names, &err), 0);
	assert_int_equal(names.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(names.at[i], i == 0 ? "a" : i == 1 ? "b" : "c");
	fs_names_release(&names);
	assert_int_equal(fs_list(dir, NULL, &names, &err), 0);
	assert_int_equal(names.n, 4);
	fs_names_release(&names);
	for (names_left = 0; names_left < 5; names_left++) {
		int keep = names_left;

		assert_int_equal(fs_list(dir, NULL, &names, &err), -EIO);
		assert_non_null(strstr(err.msg, dir));
		fs_names_release(&names);
		names_left = keep;
	}
	names_left = -1;
	assert_int_equal(fs_list(precious, NULL, &names, &err), -ENOTDIR);
	assert_int_equal(names.n, 0);
}

static void what_nobody_can_look_for_is_neither_there_nor_gone(void **state)
{
	char path[PATH_MAX + 8];
	struct err err = ERR_INIT;

	(void)state;
	save(precious, "");
	assert_int_equal(fs_is_there(precious, &err), 1);
	assert_int_equal(fs_is_there(out, &err), 0);
	snprintf(path, sizeof(path), "%s/below", precious);
	assert_int_equal(fs_is_there(path, &err), 0);
	assert_int_equal(err.code, 0);
	snprintf(path, sizeof(path), "%s/loop", dir);
	assert_int_equal(symlink("loop", path), 0);
	assert_int_equal(fs_is_there(path, &err), -ELOOP);
	assert_non_null(strstr(err.msg, path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_link_that_waits_is_not_followed),
		test(a_temporary_directory_goes_with_all_that_is_in_it),
		test(nobody_knows_the_temporary_name),
		test(what_is_written_has_the_modes_of_the_umask),
		test(a_failure_leaves_nothing),
		test(a_link_is_replaced_by_the_file),
		test(a_pipe_of_somebody_else_is_refused),
		test(a_file_is_the_same_by_any_name),
		test(a_list_has_all_names_in_order_or_is_an_error),
		test(what_nobody_can_look_for_is_neither_there_nor_gone),
		test(what_is_written_in_pieces_is_there_at_the_end_or_not_at_all),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
