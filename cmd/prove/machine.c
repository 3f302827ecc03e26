/* SPDX-License-Identifier: MIT */
#include "cmd/prove/machine.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/fs.h"

static void read_cpu_name(struct machine *m, const char *sysroot)
{
	char buf[8192], *p, *end;

	if (fs_read_small(sysroot, "/proc/cpuinfo", buf, sizeof(buf)))
		return;
	p = strstr(buf, "model name");
	p = p ? strchr(p, ':') : NULL;
	if (!p)
		return;
	p += 1 + strspn(p + 1, " \t");
	end = p + strcspn(p, "\n");
	snprintf(m->cpu, sizeof(m->cpu), "%.*s", (int)(end - p), p);
}

static uint32_t usable_cores(void)
{
	uint32_t n = 0;

	for (size_t cpus = 1024; cpus <= 65536; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC(cpus);

		if (set && !sched_getaffinity(0, CPU_ALLOC_SIZE(cpus), set))
			n = (uint32_t)CPU_COUNT_S(CPU_ALLOC_SIZE(cpus), set);
		CPU_FREE(set);
		if (n)
			break;
	}
	return n ? n : 1;
}

void machine_read(struct machine *m, const char *sysroot)
{
	char buf[128];

	memset(m, 0, sizeof(*m));
	read_cpu_name(m, sysroot);
	m->cores = usable_cores();
	if (!fs_read_small(sysroot, "/proc/loadavg", buf, sizeof(buf)))
		m->load = strtod(buf, NULL);
	fs_read_small(sysroot, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", m->governor,
		      sizeof(m->governor));
}

int machine_ticks_read(struct machine_ticks *t, const char *sysroot)
{
	unsigned long long user, nice, system, idle, wait, irq, softirq, steal;
	char buf[1024];
	int ret = fs_read_small(sysroot, "/proc/stat", buf, sizeof(buf));

	if (ret)
		return ret;
	if (sscanf(buf, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &wait,
		   &irq, &softirq, &steal) != 8)
		return -EINVAL;
	t->busy = user + nice + system + irq + softirq;
	t->stolen = steal;
	return 0;
}

int machine_instructions_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

uint64_t machine_instructions_read(int fd)
{
	uint64_t n = 0;

	if (fd < 0 || read(fd, &n, sizeof(n)) != sizeof(n))
		return 0;
	return n;
}
