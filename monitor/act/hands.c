/* SPDX-License-Identifier: MIT */
#include "monitor/act/hands.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/strbuf.h"

static int hands_where(void *arg, uint32_t tid, struct act_cores *out)
{
	cpu_set_t set;

	(void)arg;
	if (sched_getaffinity((pid_t)tid, sizeof(set), &set))
		return -errno;
	*out = (struct act_cores){{0}};
	for (unsigned i = 0; i < ACT_CORES && i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			act_cores_add(out, i);
	return 0;
}

static int hands_place(void *arg, uint32_t tid, const struct act_cores *to)
{
	cpu_set_t set;

	(void)arg;
	CPU_ZERO(&set);
	for (unsigned i = 0; i < ACT_CORES && i < CPU_SETSIZE; i++)
		if (act_cores_has(to, i))
			CPU_SET(i, &set);
	return sched_setaffinity((pid_t)tid, sizeof(set), &set) ? -errno : 0;
}

/* One line below /sys/devices/system/cpu/cpuN/; equal texts: they share it. */
static bool share(unsigned a, unsigned b, const char *file)
{
	char path[96], x[256], y[256];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%s", a, file);
	if (fs_read_small("", path, x, sizeof(x)))
		return false;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%s", b, file);
	return !fs_read_small("", path, y, sizeof(y)) && !strcmp(x, y);
}

static unsigned hands_distance(void *arg, unsigned a, unsigned b)
{
	static const char *const nearer[] = {"topology/thread_siblings_list", "cache/index2/shared_cpu_list",
					     "cache/index3/shared_cpu_list", "topology/physical_package_id"};
	unsigned n = sizeof(nearer) / sizeof(nearer[0]);

	(void)arg;
	if (a == b)
		return 0;
	for (unsigned i = 0; i < n; i++)
		if (share(a, b, nearer[i]))
			return i + 1;
	return n + 1;
}

static int hands_workers(void *arg, uint64_t n)
{
	struct hands_machine *m = arg;
	struct strbuf text = STRBUF_INIT;
	int ret;

	strbuf_printf(&text, "%s=%lu\n", m->workers, (unsigned long)n);
	ret = fs_write_private(m->live, text.s, text.len, NULL);
	strbuf_release(&text);
	return ret;
}

static void hands_audit(void *arg, const char *line)
{
	struct hands_machine *m = arg;

	m->audit(m->arg, line);
}

static bool hands_leased(void *arg)
{
	struct hands_machine *m = arg;

	return m->leased(m->arg);
}

struct act_hands hands_of_machine(struct hands_machine *m)
{
	return (struct act_hands){
		.where = hands_where,
		.place = hands_place,
		.distance = hands_distance,
		.workers = m->workers ? hands_workers : NULL,
		.audit = hands_audit,
		.leased = hands_leased,
		.arg = m,
	};
}

struct act_cores hands_own_cores(void)
{
	struct act_cores c = {{0}};

	hands_where(NULL, 0, &c);
	return c;
}
