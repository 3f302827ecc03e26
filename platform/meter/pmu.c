/* SPDX-License-Identifier: MIT */
/* The perf events power/energy-pkg/ and power/energy-ram/, of one processor of each package. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/meter/parts.h"

#define PMU      "/sys/bus/event_source/devices/power"
#define UPDATE_S 0.001

int meter_pmu_open(const struct meter_source *s)
{
	struct perf_event_attr attr = {.type = s->type, .size = sizeof(attr), .config = s->config};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, s->processor, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* "event=0x02": the number, or a negative errno. */
static int event_of(const char *sysroot, const char *event, uint64_t *config)
{
	char text[64], *end;
	const char *at;

	if (!meter_text(sysroot, PMU "/events", event, text, sizeof(text)))
		return -ENOENT;
	at = strstr(text, "event=");
	if (!at)
		return -EINVAL;
	*config = strtoull(at + 6, &end, 16);
	return end == at + 6 ? -EINVAL : 0;
}

static void add_processor(struct meter_sources *out, const char *sysroot, const char *event,
			  const struct meter_source *of, int processor)
{
	struct meter_source *s = vec_add(out);
	char name[96];
	int fd;

	*s = *of;
	s->processor = processor;
	snprintf(name, sizeof(name), "%s of processor %d", event, processor);
	s->name = mem_strdup(name);
	s->path = mem_strdup(PMU);
	if (*sysroot) { /* of another machine: nothing to try */
		s->error = ENOTSUP;
		return;
	}
	fd = meter_pmu_open(s);
	s->error = fd < 0 ? -fd : 0;
	if (fd >= 0)
		close(fd);
}

static void add_event(struct meter_sources *out, const char *sysroot, const char *event)
{
	struct meter_source of = {.kind = METER_PMU, .latency = UPDATE_S, .whole = true};
	char file[96], text[256];
	double type;

	if (event_of(sysroot, event, &of.config) || meter_number(sysroot, PMU "/type", &type))
		return;
	of.type = (uint32_t)type;
	snprintf(file, sizeof(file), PMU "/events/%s.scale", event);
	if (meter_number(sysroot, file, &of.unit) || of.unit <= 0)
		return;
	if (!meter_text(sysroot, PMU, "cpumask", text, sizeof(text)))
		snprintf(text, sizeof(text), "0");
	for (char *p = text, *end; *p; p = end + strspn(end, ",")) {
		long processor = strtol(p, &end, 10);

		if (end == p)
			break;
		add_processor(out, sysroot, event, &of, (int)processor);
		end += strcspn(end, ","); /* "0-3" is of one package */
	}
}

void meter_find_pmu(struct meter_sources *out, const char *sysroot)
{
	add_event(out, sysroot, "energy-pkg");
	add_event(out, sysroot, "energy-ram");
}
