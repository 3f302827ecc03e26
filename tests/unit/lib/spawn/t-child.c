/* SPDX-License-Identifier: MIT */
/* Programs that are run to their end: status, streams, environment, what stops them, what cannot start. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/spawn/capture.h"
#include "lib/spawn/child.h"
#include "lib/spawn/compile.h"
#include "lib/spawn/target.h"

/* The result of `sh -c SCRIPT` under @spec, of which path and words are set here. */
static struct child_result shell(const char *script, struct child_spec spec)
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)script, NULL};
	struct child_result r = {.status = -1};
	struct err err = ERR_INIT;

	spec.path = "/bin/sh";
	spec.argv = argv;
	assert_int_equal(child_run(&spec, &r, &err), 0);
	return r;
}

static const struct child_spec plain = {.in = -1, .out = -1, .error = -1};

static void the_status_is_that_of_a_shell(void **state)
{
	(void)state;
	assert_int_equal(child_exit_status(shell("exit 0", plain).status), 0);
	assert_int_equal(child_exit_status(shell("exit 7", plain).status), 7);
	assert_int_equal(child_exit_status(shell("kill -TERM $$", plain).status), 128 + SIGTERM);
}

static void its_streams_are_those_that_are_given(void **state)
{
	char path[] = "/tmp/t-child.XXXXXX", text[32] = "";
	struct child_spec spec = plain;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	spec.out = spec.error = fd;
	shell("echo out; echo error >&2", spec);
	assert_int_equal(pread(fd, text, sizeof(text) - 1, 0), 10);
	assert_string_equal(text, "out\nerror\n");
	close(fd);
	unlink(path);
}

static void its_environment_is_added_to_and_replaced(void **state)
{
	char *words[] = {(char *)"T_CHILD_OLD=new", (char *)"T_CHILD_MORE=1", NULL};
	struct child_spec spec = plain;

	(void)state;
	setenv("T_CHILD_OLD", "old", 1);
	setenv("T_CHILD_KEPT", "kept", 1);
	spec.environment = words;
	assert_int_equal(shell("test $T_CHILD_OLD$T_CHILD_MORE$T_CHILD_KEPT = new1kept", spec).status, 0);
	assert_string_equal(getenv("T_CHILD_OLD"), "old");
}

static void no_descriptor_of_ours_is_left_open_in_it(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char script[64];

	(void)state;
	snprintf(script, sizeof(script), "test ! -e /proc/$$/fd/%d", fd);
	assert_int_equal(shell(script, plain).status, 0);
	close(fd);
}

static void it_is_killed_when_its_time_is_over(void **state)
{
	struct child_spec spec = plain;
	struct child_result r;

	(void)state;
	spec.limit_ns = 1000000;
	r = shell("exec sleep 1000", spec);
	assert_true(WIFSIGNALED(r.status));
	assert_int_equal(WTERMSIG(r.status), SIGKILL);
}

/* A script that leaves a sleeper is stopped: is the sleeper, @pid, there afterwards?  It holds a pipe. */
static bool sleeper_stays(bool group, int *pid)
{
	uint64_t limit = 100000000;
	char text[32] = "";
	bool stays;

	for (*pid = 0; !*pid; limit *= 2) { /* until there was time to start it */
		struct child_spec spec = plain;
		struct pollfd end;
		int ends[2];
		ssize_t n;

		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		spec.out = ends[1];
		spec.limit_ns = limit;
		spec.group = group;
		shell("sh -c 'echo $$; exec sleep 1000' & wait", spec);
		close(ends[1]);
		end = (struct pollfd){ends[0], POLLIN, 0};
		/* Its number, or the end of those who might have told it. */
		n = poll(&end, 1, 10000) == 1 ? read(ends[0], text, sizeof(text) - 1) : 0;
		*pid = n > 0 ? atoi(text) : 0;
		stays = poll(&end, 1, group ? 10000 : 0) == 0;
		close(ends[0]);
	}
	return stays;
}

static void what_it_started_is_killed_with_its_group_only(void **state)
{
	int pid;

	(void)state;
	assert_false(sleeper_stays(true, &pid));
	assert_true(sleeper_stays(false, &pid));
	assert_int_equal(kill(pid, SIGKILL), 0);
}

static void what_cannot_be_started_is_an_error(void **state)
{
	char *argv[] = {(char *)"none", NULL};
	struct child_spec spec = plain;
	struct child_result r;
	struct err err = ERR_INIT;

	(void)state;
	spec.path = "/nowhere/none";
	spec.argv = argv;
	assert_int_equal(child_run(&spec, &r, &err), -ENOENT);
	spec.path = "/etc";
	assert_int_equal(child_run(&spec, &r, &err), -EACCES);
	assert_non_null(err.msg);
}

static void output_is_captured_up_to_a_mebibyte(void **state)
{
	const char *const both[] = {"sh", "-c", "echo; echo first; echo second >&2; exit 3", NULL};
	const char *const much[] = {"sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x", NULL};
	const char *const none[] = {"t-child-no-such-program", NULL};
	struct strbuf text = STRBUF_INIT;
	char line[4];

	(void)state;
	assert_int_equal(capture(both, NULL, &text), 3);
	assert_string_equal(text.s, "\nfirst\nsecond\n");
	capture_first_line(&text, line, sizeof(line));
	assert_string_equal(line, "fir");
	strbuf_release(&text);
	assert_int_equal(capture(none, NULL, &text), -ENOENT);
	strbuf_release(&text);
	capture(much, NULL, &text);
	assert_true(text.len > 0 && text.len <= 1u << 20);
	strbuf_release(&text);
}

static void programs_are_found_as_exec_would(void **state)
{
	char dir[] = "/tmp/t-child.XXXXXX", path[PATH_MAX], real[PATH_MAX];
	struct err err = ERR_INIT;
	struct target t;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/t-child-script", dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	setenv("PATH", dir, 1);
	assert_int_equal(target_locate(&t, "t-child-none", &err), -ENOENT);
	assert_int_equal(target_locate(&t, path, &err), -EACCES);
	assert_int_equal(target_locate(&t, dir, &err), -EISDIR);
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(target_locate(&t, "t-child-script", &err), 0);
	assert_string_equal(t.path, path);
	assert_non_null(realpath(path, real));
	assert_string_equal(t.real, real);
	unlink(path);
	rmdir(dir);
}

static void a_compiler_line_is_one_of_a_shell(void **state)
{
	struct compile c;
	char all[4096] = "";

	(void)state;
	compile_make(&c, "gcc -O2 -DX='a b'", "in put.c", "out.o");
	for (int i = 0; c.argv[i]; i++) {
		strcat(all, c.argv[i]);
		strcat(all, "|");
	}
	assert_non_null(strstr(all, "gcc -O2 -DX='a b'"));
	assert_non_null(strstr(all, "in put.c"));
	assert_non_null(strstr(all, "out.o"));
	strbuf_release(&c.line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_status_is_that_of_a_shell),
		cmocka_unit_test(its_streams_are_those_that_are_given),
		cmocka_unit_test(its_environment_is_added_to_and_replaced),
		cmocka_unit_test(no_descriptor_of_ours_is_left_open_in_it),
		cmocka_unit_test(it_is_killed_when_its_time_is_over),
		cmocka_unit_test(what_it_started_is_killed_with_its_group_only),
		cmocka_unit_test(what_cannot_be_started_is_an_error),
		cmocka_unit_test(output_is_captured_up_to_a_mebibyte),
		cmocka_unit_test(a_compiler_line_is_one_of_a_shell),
		cmocka_unit_test(programs_are_found_as_exec_would),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
