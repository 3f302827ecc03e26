/* SPDX-License-Identifier: MIT */
/* Whether another thread waits by now: a machine may give it no core for long. */
#ifndef TESTS_RUNTIME_ASLEEP_H
#define TESTS_RUNTIME_ASLEEP_H

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Looks are many, and no part of what is recorded. */
#define UNSEEN __attribute__((noinline, unused, no_instrument_function))

/* The state of thread @tid of this process, as ps(1) has it; without a call that the runtime sees. */
UNSEEN static char thread_state(pid_t tid)
{
	char path[64], text[256] = "", *name_end;
	long fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	if (fd < 0)
		return '?';
	(void)!syscall(SYS_read, fd, text, sizeof(text) - 1);
	syscall(SYS_close, fd);
	name_end = strrchr(text, ')');
	return name_end && name_end[1] ? name_end[2] : '?';
}

/* The thread says who it is in *@tid, and that it is no longer meant. */
UNSEEN static void i_am(pid_t *tid)
{
	__atomic_store_n(tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
}

UNSEEN static void i_am_not(pid_t *tid)
{
	__atomic_store_n(tid, 0, __ATOMIC_RELEASE);
}

/* Thread *@tid sleeps, or has ended. */
UNSEEN static bool waits_now(const pid_t *tid)
{
	pid_t id = __atomic_load_n(tid, __ATOMIC_ACQUIRE);
	char state = id ? thread_state(id) : 'R';

	return state == 'S' || state == '?';
}

/* Until thread *@tid, which sets it when it begins, sleeps or has ended. */
UNSEEN static void until_asleep(const pid_t *tid)
{
	while (!waits_now(tid))
		sched_yield();
}

#endif
