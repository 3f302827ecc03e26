/* SPDX-License-Identifier: MIT */
#include "platform/events/counters.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/fs.h"
#include "platform/base/clock.h"
#include "platform/events/events.h"
#include "platform/base/cpuinfo.h"

#define MAX_GROUP 16
#define READS     1000

static int open_event(uint64_t config, int group)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

/* The kernel refuses the member that the hardware cannot count together with the others. */
static uint32_t count_group(void)
{
	int fd[MAX_GROUP];
	uint32_t n = 0;

	while (n < MAX_GROUP) {
		fd[n] = open_event(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, n ? fd[0] : -1);
		if (fd[n] < 0)
			break;
		n++;
	}
	for (uint32_t i = 0; i < n; i++)
		close(fd[i]);
	return n;
}

static void probe_read(struct counter_facts *f, int fd)
{
	uint64_t first = 0, value = 0, t0 = clock_wall_ns();

	for (int i = 0; i < READS; i++) {
		if (read(fd, &value, sizeof(value)) != sizeof(value))
			return;
		if (!i)
			first = value;
	}
	f->read_ns = (double)(clock_wall_ns() - t0) / READS;
	f->dead_cycles = value == first;
}

/* The advertised right says nothing about the cost: hypervisors may trap the instruction. */
static void probe_rdpmc(struct counter_facts *f)
{
	static const struct event cycles = {.name = "cycles:u",
					    .type = PERF_TYPE_HARDWARE,
					    .flags = PRS_EVENT_NO_KERNEL | PRS_EVENT_NO_HV,
					    .config = PERF_COUNT_HW_CPU_CYCLES};

	f->rdpmc_ns = event_rdpmc_ns(&cycles);
	f->rdpmc = f->rdpmc_ns > 0;
}

/* The library's table for the core's own counters, not the generic one. */
static void identify(struct counter_facts *f)
{
	pfm_pmu_t pmu;

	if (pfm_initialize() != PFM_SUCCESS)
		return;
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t info = {.size = sizeof(info)};

		pmu = (pfm_pmu_t)i;
		if (pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS || !info.is_present ||
		    info.type != PFM_PMU_TYPE_CORE || !info.is_dfl)
			continue;
		if (strncmp(info.name, "perf", 4))
			snprintf(f->library_pmu, sizeof(f->library_pmu), "%s", info.name);
	}
	pfm_terminate();
}

void counters_probe(struct counter_facts *f)
{
	int fd;

	memset(f, 0, sizeof(*f));
	identify(f);
	fd = open_event(PERF_COUNT_HW_CPU_CYCLES, -1);
	if (fd < 0) {
		f->error = errno;
		return;
	}
	probe_read(f, fd);
	probe_rdpmc(f);
	close(fd);
	f->at_once = count_group();
}

static bool exists(const char *sysroot, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", sysroot, path);
	return !access(full, F_OK);
}

const char *counters_sampling(const char *sysroot)
{
	if (exists(sysroot, "/sys/bus/event_source/devices/ibs_op"))
		return "ibs_op";
	if (exists(sysroot, "/sys/bus/event_source/devices/cpu/events/mem-loads"))
		return "precise events";
	return NULL;
}

int counters_paranoid(const char *sysroot)
{
	char buf[32], *end;
	long level;

	if (fs_read_small(sysroot, "/proc/sys/kernel/perf_event_paranoid", buf, sizeof(buf)))
		return COUNTERS_PARANOID_UNKNOWN;
	level = strtol(buf, &end, 10);
	return *end || end == buf ? COUNTERS_PARANOID_UNKNOWN : (int)level;
}

bool counters_virtual(const char *sysroot)
{
	char flags[8192];

	return !platform_cpuinfo(sysroot, "flags", flags, sizeof(flags)) && strstr(flags, " hypervisor");
}
