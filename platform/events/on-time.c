/* SPDX-License-Identifier: MIT */
#include "platform/events/on-time.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int on_time_open_core(int core)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .size = sizeof(attr),
				       .inherit = 1,
				       .disabled = 1,
				       .enable_on_exec = 1,
				       .exclude_kernel =
					       1, /* who may not look there counts it all the same */
				       .exclude_hv = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, core, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int on_time_open(struct on_time *t)
{
	int ret = 0;

	for (size_t i = 0; i < t->n; i++)
		t->fd[i] = -1;
	for (size_t i = 0; i < t->n && !ret; i++) {
		t->fd[i] = on_time_open_core(t->core[i]);
		ret = t->fd[i] < 0 ? t->fd[i] : 0;
	}
	if (ret)
		on_time_close(t, NULL);
	return ret;
}

int on_time_close(struct on_time *t, double *seconds)
{
	int ret = 0;

	for (size_t i = 0; i < t->n; i++) {
		uint64_t ns = 0;

		if (t->fd[i] < 0)
			continue;
		if (seconds && read(t->fd[i], &ns, sizeof(ns)) != sizeof(ns))
			ret = -EIO;
		if (seconds)
			seconds[i] = 1e-9 * (double)ns;
		close(t->fd[i]);
		t->fd[i] = -1;
	}
	return ret;
}

int on_time_choose(struct on_time *t, struct err *err)
{
	cpu_set_t mine;
	int ret;

	memset(t, 0, sizeof(*t));
	if (sched_getaffinity(0, sizeof(mine), &mine))
		return err_set(err, -errno, "the cores of this process are not known: %s", strerror(errno));
	if (CPU_COUNT(&mine) > ON_TIME_CORES)
		return err_set(
			err, -E2BIG,
			"%d cores are more than %d, of which each would be an event\n  taskset -c LIST "
			"chooses some; or without --on-time: cpu-seconds is the sum of all",
			CPU_COUNT(&mine), ON_TIME_CORES);
	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, &mine))
			t->core[t->n++] = core;
	ret = on_time_open(t);
	if (!ret)
		return on_time_close(t, NULL);
	t->n = 0;
	return err_set(err, ret,
		       "the time of each core is not counted here: perf_event_open: %s\n  as root: sysctl "
		       "kernel.perf_event_paranoid=2",
		       strerror(-ret));
}
