/* SPDX-License-Identifier: MIT */
/* CPU time of processes that a process starts, while they run and when they are gone. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/spawn/child.h"
#include "lib/spawn/family.h"

#define WORK 0.15 /* s */

/* Work for so much CPU time of this process, then wait to be killed. */
static void work(double seconds)
{
	struct timespec ts = {0, 0};

	while ((double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec < seconds)
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	for (;;)
		pause();
}

/* A child that works itself (@own) or starts one that does, whose number it writes to @fd, and waits for it. */
static pid_t start(double own, double childs, int fd)
{
	pid_t pid = fork(), worker;

	if (pid)
		return pid;
	if (childs <= 0)
		work(own);
	worker = fork();
	if (!worker)
		work(childs);
	if (write(fd, &worker, sizeof(worker)) != sizeof(worker))
		_exit(1);
	waitpid(worker, NULL, 0);
	for (;;)
		pause();
}

/* It becomes @seconds within half a minute. */
static bool becomes(struct family *f, pid_t pid, double seconds)
{
	uint64_t end = child_clock_ns() + UINT64_C(30000000000);

	while (family_cpu(f, pid) < seconds && child_clock_ns() < end)
		usleep(2000);
	return family_cpu(f, pid) >= seconds;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void what_a_process_started_counts_with_it_and_stays(void **state)
{
	struct family *f = family_new();
	pid_t pid, worker = 0;
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	pid = start(0, WORK, pipes[1]);
	assert_int_equal(read(pipes[0], &worker, sizeof(worker)), sizeof(worker));
	assert_true(becomes(f, pid, WORK * 0.9));
	kill(worker, SIGKILL);
	usleep(50000);
	assert_true(family_cpu(f, pid) >= WORK * 0.9);
	assert_true(family_cpu(f, pid) < WORK * 2);
	end(pid);
	assert_true(family_cpu(f, pid) < 0);
	close(pipes[0]);
	close(pipes[1]);
	family_free(f);
}

static void what_others_do_does_not_count(void **state)
{
	struct family *f = family_new(), *g = family_new();
	pid_t other, pid;

	(void)state;
	pid = start(0.001, 0, -1);
	other = start(WORK, 0, -1);
	assert_true(becomes(g, other, WORK * 0.9));
	assert_true(family_cpu(f, pid) < WORK / 2);
	end(pid);
	end(other);
	assert_true(family_cpu(f, 0) < 0);
	family_free(f);
	family_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_process_started_counts_with_it_and_stays),
		cmocka_unit_test(what_others_do_does_not_count),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("family", tests, NULL, NULL);
}
