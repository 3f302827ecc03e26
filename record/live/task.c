/* SPDX-License-Identifier: MIT */
/* The kernel's view of a thread: proc(5), whose files are read again through descriptors that stay open. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/live/parts.h"

#define UNKNOWN UINT64_MAX

#define KEEP 512 /* descriptors up to here stay open: a limit of 1,024 is usual */

static const char *const names[TASK_FILES] = {"stat", "schedstat", "sched"};

/* What file @i of the thread has now, as a string; false: it has nothing, as its thread is gone. */
static bool read_file(struct task *t, int i, uint32_t pid, uint32_t tid, char *buf, size_t size)
{
	char path[64];
	ssize_t n;
	int fd = t->fd[i];

	if (fd < 0) {
		snprintf(path, sizeof(path), "/proc/%u/task/%u/%s", pid, tid, names[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	n = fd < 0 ? -1 : pread(fd, buf, size - 1, 0);
	if (fd > KEEP) {
		close(fd);
		fd = -1;
	}
	t->fd[i] = fd;
	buf[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static double clock_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* @seconds since the system began as CLOCK_MONOTONIC_RAW has them, which is not set right and does not count sleep. */
static uint64_t raw_clock(double seconds)
{
	double raw = seconds - clock_s(CLOCK_BOOTTIME) + clock_s(CLOCK_MONOTONIC_RAW);

	return raw > 0 ? (uint64_t)(raw * 1e9) : 0;
}

/* "12 (a name) S ...": the name may hold anything, so the last bracket counts. */
static bool read_stat(const char *text, struct task_look *out)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	const char *at = close;

	if (!open || !close || close < open || close[1] != ' ')
		return false;
	snprintf(out->name, sizeof(out->name), "%.*s", (int)(close - open - 1), open + 1);
	out->state = close[2];
	for (int field = 2; at && field < 39; field++) { /* starttime is field 22, processor 39, the name 2 */
		at = strchr(at + 1, ' ');
		if (at && field + 1 == 22)
			out->start_ns = raw_clock(strtod(at, NULL) / (double)sysconf(_SC_CLK_TCK));
	}
	out->core = at ? atoi(at + 1) : -1;
	return true;
}

static void read_schedstat(const char *text, struct task_look *out)
{
	unsigned long long run, ready;

	if (sscanf(text, "%llu %llu", &run, &ready) != 2)
		return;
	out->run_ns = run;
	out->ready_ns = ready;
}

static void read_moves(const char *text, struct task_look *out)
{
	const char *line = strstr(text, "se.nr_migrations"), *value = line ? strchr(line, ':') : NULL;

	if (value)
		out->moves = strtoull(value + 1, NULL, 10);
}

bool task_look(struct task *t, uint32_t pid, uint32_t tid, bool moves, struct task_look *out)
{
	char text[4096];

	*out = (struct task_look){.core = -1, .run_ns = UNKNOWN, .ready_ns = UNKNOWN, .moves = UNKNOWN};
	for (int i = 0; !t->opened && i < TASK_FILES; i++)
		t->fd[i] = -1;
	t->opened = true;
	if (!read_file(t, TASK_STAT, pid, tid, text, sizeof(text)) || !read_stat(text, out) ||
	    strchr("XxZ", out->state))
		return false;
	if (read_file(t, TASK_SCHEDSTAT, pid, tid, text, sizeof(text)))
		read_schedstat(text, out);
	if (moves && read_file(t, TASK_SCHED, pid, tid, text, sizeof(text)))
		read_moves(text, out);
	return true;
}

void task_close(struct task *t)
{
	for (int i = 0; t->opened && i < TASK_FILES; i++)
		if (t->fd[i] >= 0)
			close(t->fd[i]);
	t->opened = false;
}
