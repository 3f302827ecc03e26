/* SPDX-License-Identifier: MIT */
#include "platform/topology.h"

#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "platform/base/cpuinfo.h"
#include "platform/cpufreq.h"

/* What the scheduler usually gives where it does not say. */
#define DEFAULT_SLICE_NS 4000000

int platform_parse_list(const char *list, bool *in, uint32_t n)
{
	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list)
			return -EINVAL;
		if (*end == '-') {
			list = end + 1;
			last = strtoul(list, &end, 10);
			if (end == list)
				return -EINVAL;
		}
		for (unsigned long c = first; c <= last && c < n; c++)
			in[c] = true;
		if (*end && *end != ',' && *end != ' ')
			return -EINVAL;
		list = *end ? end + 1 : end;
	}
	return 0;
}

/* ---- hwloc ---- */

/* Set an environment variable and return what stood there (NULL: nothing), for restore(). */
static char *replace(const char *name, const char *value)
{
	char *old = mem_strdup(getenv(name));

	setenv(name, value, 1);
	return old;
}

static void restore(const char *name, char *old)
{
	if (old)
		setenv(name, old, 1);
	else
		unsetenv(name);
	free(old);
}

/*
 * hwloc takes another root directory, and the wish for silence, from the
 * environment only.  What stood there is put back, so that nothing is left
 * behind for child processes.
 */
static int load_topology(hwloc_topology_t *t, const char *sysroot)
{
	char *silence = replace("HWLOC_HIDE_ERRORS", "2");
	char *root = *sysroot ? replace("HWLOC_FSROOT", sysroot) : NULL;
	int ret = hwloc_topology_init(t);

	if (!ret) {
		hwloc_topology_set_flags(*t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
		/* The x86 component would mix in this machine's cpuid. */
		if (*sysroot)
			hwloc_topology_set_components(*t, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
		hwloc_topology_set_io_types_filter(*t, HWLOC_TYPE_FILTER_KEEP_NONE);
		ret = hwloc_topology_load(*t);
		if (ret)
			hwloc_topology_destroy(*t);
	}
	if (*sysroot)
		restore("HWLOC_FSROOT", root);
	restore("HWLOC_HIDE_ERRORS", silence);
	return ret;
}

static bool is_data_cache(hwloc_obj_t o)
{
	return hwloc_obj_type_is_dcache(o->type);
}

/*
 * The cache that decides about neighbourhood: the smallest one that more
 * than one core has in common.  Without one, each core stands alone.
 */
static hwloc_obj_t shared_cache(hwloc_topology_t t, hwloc_obj_t pu)
{
	for (hwloc_obj_t o = pu->parent; o; o = o->parent) {
		int cores = hwloc_get_nbobjs_inside_cpuset_by_type(t, o->cpuset, HWLOC_OBJ_CORE);

		if (is_data_cache(o) && cores > 1)
			return o;
	}
	return NULL;
}

static uint32_t index_of(hwloc_obj_t o)
{
	return o ? o->logical_index : 0;
}

static void fill_core(hwloc_topology_t t, hwloc_obj_t pu, struct platform_core *c)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_CORE, pu);

	c->id = pu->os_index;
	c->package = index_of(hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_PACKAGE, pu));
	c->physical = core ? core->logical_index : pu->logical_index;
}

/* Group numbers in the order in which the groups appear. */
static void fill_groups(hwloc_topology_t t, struct platform *p)
{
	hwloc_obj_t *seen = mem_new(p->n_cores, sizeof(hwloc_obj_t));
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_cores; i++) {
		hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(t, p->cores[i].id);
		hwloc_obj_t cache = shared_cache(t, pu);
		hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_CORE, pu);
		hwloc_obj_t key = cache ? cache : core ? core : pu;
		uint32_t g = 0;

		while (g < n && seen[g] != key)
			g++;
		seen[g] = key;
		n += g == n;
		p->cores[i].cache_group = g;
	}
	free(seen);
}

/* The largest cache of data that no other core has a part in; 0: not known. */
static uint64_t own_cache(hwloc_topology_t t, hwloc_obj_t pu)
{
	uint64_t bytes = 0;

	for (hwloc_obj_t o = pu->parent; o; o = o->parent)
		if (is_data_cache(o) &&
		    hwloc_get_nbobjs_inside_cpuset_by_type(t, o->cpuset, HWLOC_OBJ_CORE) <= 1)
			bytes = o->attr->cache.size;
	return bytes;
}

/* Sizes of caches: where cores have unlike ones, the smallest counts. */
static void fill_caches(hwloc_topology_t t, struct platform *p)
{
	for (uint32_t i = 0; i < p->n_cores; i++) {
		hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(t, p->cores[i].id);
		hwloc_obj_t shared = shared_cache(t, pu);
		uint64_t own = own_cache(t, pu), group = shared ? shared->attr->cache.size : 0;

		p->core_cache_bytes = !i || own < p->core_cache_bytes ? own : p->core_cache_bytes;
		p->group_cache_bytes = !i || group < p->group_cache_bytes ? group : p->group_cache_bytes;
	}
}

static int read_cores(struct platform *p, hwloc_topology_t t, struct err *err)
{
	int n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU);
	unsigned os;

	if (n < 1 || n > PLATFORM_MAX_CORES)
		return err_set(err, -ENOTSUP, "%d cores found, Perseus handles 1 to %d", n,
			       PLATFORM_MAX_CORES);
	p->cores = mem_new((size_t)n, sizeof(*p->cores));
	hwloc_bitmap_foreach_begin(os, hwloc_topology_get_topology_cpuset(t))
	{
		hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(t, os);

		if (pu && p->n_cores < (uint32_t)n)
			fill_core(t, pu, &p->cores[p->n_cores++]);
	}
	hwloc_bitmap_foreach_end();
	fill_groups(t, p);
	fill_caches(t, p);
	return 0;
}

/* ---- which cores this process may use ---- */

static int usable_here(bool *usable, uint32_t n)
{
	cpu_set_t *set;
	int cpus = 1024;

	/* The kernel wants at least as many bits as it was built for. */
	for (; cpus <= 1 << 18; cpus *= 2) {
		size_t size = CPU_ALLOC_SIZE(cpus);

		set = CPU_ALLOC(cpus);
		if (set && !sched_getaffinity(0, size, set)) {
			for (uint32_t c = 0; c < n && c < (uint32_t)cpus; c++)
				usable[c] = CPU_ISSET_S(c, size, set);
			CPU_FREE(set);
			return 0;
		}
		CPU_FREE(set);
	}
	return -EINVAL;
}

static int usable_there(const char *sysroot, bool *usable, uint32_t n)
{
	char text[4096], *line;

	if (fs_read_small(sysroot, "/proc/self/status", text, sizeof(text)))
		return -ENOENT;
	line = strstr(text, "Cpus_allowed_list:");
	if (!line)
		return -ENOENT;
	line += strlen("Cpus_allowed_list:");
	line += strspn(line, " \t");
	line[strcspn(line, "\n")] = '\0';
	return platform_parse_list(line, usable, n);
}

static void mark_usable(struct platform *p, const char *sysroot)
{
	uint32_t n = p->cores[p->n_cores - 1].id + 1;
	bool *usable = mem_new(n, sizeof(*usable)), any = false;

	if (*sysroot ? usable_there(sysroot, usable, n) : usable_here(usable, n))
		memset(usable, true, n);
	for (uint32_t i = 0; i < p->n_cores; i++) {
		p->cores[i].usable = usable[p->cores[i].id];
		any |= p->cores[i].usable;
	}
	/* A mask that names none of the cores found says nothing about them. */
	for (uint32_t i = 0; !any && i < p->n_cores; i++)
		p->cores[i].usable = true;
	free(usable);
}

/* ---- names ---- */

/* "AMD EPYC 9R45" with 2 cores -> "amd-epyc-9r45-2": the machine's kind, never its host name. */
static char *make_name(const struct platform *p)
{
	struct strbuf name = STRBUF_INIT;

	for (const char *s = p->cpu ? p->cpu : "machine"; *s && *s != '@'; s++) {
		if (!strncmp(s, "(R)", 3) || !strncmp(s, "(TM)", 4)) {
			s = strchr(s, ')');
			continue;
		}
		if (isalnum((unsigned char)*s))
			strbuf_printf(&name, "%c", tolower((unsigned char)*s));
		else if (name.len && name.s[name.len - 1] != '-')
			strbuf_puts(&name, "-");
	}
	strbuf_printf(&name, "%s%" PRIu32, name.len && name.s[name.len - 1] != '-' ? "-" : "", p->n_cores);
	return strbuf_detach(&name);
}

static void read_names(struct platform *p, const char *sysroot)
{
	char buf[256];

	if (!platform_cpuinfo(sysroot, "model name", buf, sizeof(buf)) && *buf)
		p->cpu = mem_strdup(buf);
	p->name = make_name(p);
	p->source = mem_strdup("read, not calibrated");
}

static uint64_t read_slice(const char *sysroot)
{
	struct timespec ts;

	if (*sysroot || sched_rr_get_interval(0, &ts) || (!ts.tv_sec && ts.tv_nsec < 1000))
		return DEFAULT_SLICE_NS;
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

int platform_read(struct platform *p, const char *sysroot, struct err *err)
{
	char path[PATH_MAX];
	hwloc_topology_t t;
	int ret;

	memset(p, 0, sizeof(*p));
	/* Without the list hwloc would fall back on the number of cores here. */
	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/online", sysroot);
	if (*sysroot && access(path, R_OK))
		return err_set(err, -errno, "cannot read '%s', so there is no machine: %s", path,
			       strerror(errno));
	if (load_topology(&t, sysroot))
		return err_set(err, -EIO, "cannot read the topology below '%s/sys'", sysroot);
	ret = read_cores(p, t, err);
	hwloc_topology_destroy(t);
	if (ret) {
		platform_release(p);
		return ret;
	}
	mark_usable(p, sysroot);
	cpufreq_read(p, sysroot);
	read_names(p, sysroot);
	p->slice_ns = read_slice(sysroot);
	platform_complete(p);
	return 0;
}
