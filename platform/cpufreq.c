/* SPDX-License-Identifier: MIT */
#include "platform/cpufreq.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "platform/base/cpuinfo.h"

#define MAX_STEPS 256

struct steps {
	uint32_t khz[MAX_STEPS];
	uint32_t n;
};

static int read_policy(const char *sysroot, uint32_t core, const char *file, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%" PRIu32 "/cpufreq/%s", core, file);
	return fs_read_small(sysroot, path, buf, size);
}

static int by_falling(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (y > x) - (y < x);
}

static void add_step(struct steps *s, const char *text)
{
	uint64_t khz;

	if (s->n == MAX_STEPS || num_u64(text, 1, 100000000, &khz))
		return;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->khz[i] == khz)
			return;
	s->khz[s->n++] = (uint32_t)khz;
}

/* Drivers that choose freely give no list: their limits and the base are the steps. */
static void read_steps(const char *sysroot, uint32_t core, struct steps *s)
{
	static const char *const limits[] = {"cpuinfo_max_freq", "base_frequency", "cpuinfo_min_freq"};
	char buf[4096], *save = NULL;

	s->n = 0;
	if (!read_policy(sysroot, core, "scaling_available_frequencies", buf, sizeof(buf)))
		for (char *w = strtok_r(buf, " ", &save); w; w = strtok_r(NULL, " ", &save))
			add_step(s, w);
	for (size_t i = 0; i < 3 && s->n < 2; i++)
		if (!read_policy(sysroot, core, limits[i], buf, sizeof(buf)))
			add_step(s, buf);
	qsort(s->khz, s->n, sizeof(s->khz[0]), by_falling);
}

static void keep_common(struct steps *all, const struct steps *other)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < all->n; i++)
		for (uint32_t j = 0; j < other->n; j++)
			if (all->khz[i] == other->khz[j]) {
				all->khz[kept++] = all->khz[i];
				break;
			}
	all->n = kept;
}

/* The lowest core of a list that related_cpus gives, UINT32_MAX if it gives none. */
static uint32_t lowest_related(const char *sysroot, uint32_t core)
{
	char buf[4096];

	if (read_policy(sysroot, core, "related_cpus", buf, sizeof(buf)) || !isdigit((unsigned char)*buf))
		return UINT32_MAX;
	return (uint32_t)strtoul(buf, NULL, 10);
}

/* N of the directory policyN that governs a core. */
static uint32_t policy_of(const char *sysroot, uint32_t core)
{
	char path[PATH_MAX], target[256];
	uint32_t lowest;
	uint64_t number;
	char *name;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%" PRIu32 "/cpufreq", sysroot, core);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	name = strstr(target, "/policy");
	if (name && !num_u64(name + strlen("/policy"), 0, UINT32_MAX - 1, &number))
		return (uint32_t)number;
	/* A copy of /sys without symbolic links: policies have the number of their first core. */
	lowest = lowest_related(sysroot, core);
	return lowest == UINT32_MAX ? core : lowest;
}

static int by_rising(const void *a, const void *b)
{
	return by_falling(b, a);
}

/* Domain d is the d-th policy directory in ascending number: generated code counts them so, too. */
static void read_domains(struct platform *p, const char *sysroot)
{
	uint32_t *policy = mem_new(p->n_cores, sizeof(*policy)),
		 *sorted = mem_new(p->n_cores, sizeof(*sorted));
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_cores; i++)
		sorted[i] = policy[i] = policy_of(sysroot, p->cores[i].id);
	qsort(sorted, p->n_cores, sizeof(*sorted), by_rising);
	for (uint32_t i = 0; i < p->n_cores; i++)
		if (!n || sorted[i] != sorted[n - 1])
			sorted[n++] = sorted[i];
	for (uint32_t i = 0; i < p->n_cores; i++) {
		const uint32_t *at = bsearch(&policy[i], sorted, n, sizeof(*sorted), by_rising);

		p->cores[i].domain = (uint32_t)(at - sorted);
	}
	free(policy);
	free(sorted);
}

static uint32_t nominal_khz(const char *sysroot)
{
	char buf[64];
	double mhz;

	if (platform_cpuinfo(sysroot, "cpu MHz", buf, sizeof(buf)) || num_double(buf, 1, 100000, &mhz))
		return 1000000;
	return (uint32_t)(mhz * 1000 + 0.5);
}

static void set_steps(struct platform *p, const struct steps *s)
{
	p->n_steps = s->n;
	p->steps = mem_new(s->n, sizeof(*p->steps));
	for (uint32_t i = 0; i < s->n; i++)
		p->steps[i].khz = s->khz[i];
}

static void read_latency(struct platform *p, const char *sysroot)
{
	char buf[64];
	uint64_t ns;

	if (!read_policy(sysroot, p->cores[0].id, "cpuinfo_transition_latency", buf, sizeof(buf)) &&
	    !num_u64(buf, 0, 1000000000, &ns))
		p->frequency_ns = ns;
}

void cpufreq_read(struct platform *p, const char *sysroot)
{
	struct steps all = {.n = 0}, one;
	bool first = true;

	for (uint32_t i = 0; i < p->n_cores; i++) {
		read_steps(sysroot, p->cores[i].id, &one);
		if (first)
			all = one;
		else
			keep_common(&all, &one);
		first = false;
	}
	if (all.n) {
		read_domains(p, sysroot);
	} else {
		all.n = 1;
		all.khz[0] = nominal_khz(sysroot);
	}
	set_steps(p, &all);
	read_latency(p, sysroot);
}

static bool writable(const char *sysroot, uint32_t core, const char *file)
{
	char path[PATH_MAX], value[64];

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%" PRIu32 "/cpufreq/%s", sysroot, core,
		 file);
	if (read_policy(sysroot, core, file, value, sizeof(value)) || !strcmp(value, "<unsupported>"))
		return false;
	return !access(path, W_OK);
}

void cpufreq_facts(struct cpufreq_facts *f, const struct platform *p, const char *sysroot)
{
	uint32_t core = p->cores[0].id;

	memset(f, 0, sizeof(*f));
	f->present = !read_policy(sysroot, core, "scaling_driver", f->driver, sizeof(f->driver));
	if (!f->present)
		return;
	read_policy(sysroot, core, "scaling_governor", f->governor, sizeof(f->governor));
	f->can_set =
		writable(sysroot, core, "scaling_setspeed") || writable(sysroot, core, "scaling_max_freq");
	f->policies = p->n_domains;
}
