/* SPDX-License-Identifier: MIT */
#include "platform/events/events.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/base/clock.h"
#include "platform/events/counters.h"

#define RDPMC_READS 32
#define TRAP_NS     2000 /* more costly than that: once is enough */

/* ---- names ------------------------------------------------------------------- */

/* A level of privilege given by name: "u", "k", "uk", "h". */
static bool names_level(const char *name)
{
	for (const char *p = strchr(name, ':'); p; p = strchr(p, ':')) {
		size_t n = strspn(++p, "ukhUKH");

		if (n && (p[n] == ':' || !p[n]))
			return true;
	}
	return false;
}

static void events_take(struct event *e, const struct perf_event_attr *a)
{
	e->type = a->type;
	e->config = a->config;
	e->config1 = a->config1;
	e->config2 = a->config2;
	e->flags = (a->exclude_user ? PRS_EVENT_NO_USER : 0) | (a->exclude_kernel ? PRS_EVENT_NO_KERNEL : 0) |
		   (a->exclude_hv ? PRS_EVENT_NO_HV : 0) | (a->exclude_host ? PRS_EVENT_NO_HOST : 0) |
		   (a->exclude_guest ? PRS_EVENT_NO_GUEST : 0);
}

static int encode_as(struct event *e, const char *text)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
	int ret = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);

	if (ret == PFM_SUCCESS)
		events_take(e, &attr);
	return ret;
}

/* rHEX, as perf takes it. */
static bool encode_raw(struct event *e, const char *name)
{
	size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

	if ((*name != 'r' && *name != 'R') || !digits || digits > 16 || name[1 + digits])
		return false;
	e->type = PERF_TYPE_RAW;
	e->config = strtoull(name + 1, NULL, 16);
	return true;
}

/* The generic event of a name comes before one of the processor that is called the same. */
static int encode(struct event *e, const char *name, struct err *err)
{
	char generic[256];
	int ret = PFM_ERR_NOTFOUND;

	if (encode_raw(e, name))
		return 0;
	if (pfm_initialize() != PFM_SUCCESS)
		return err_set(err, -EINVAL, "libpfm4 does not work here, and it knows the events' names");
	if (!strstr(name, "::")) {
		snprintf(generic, sizeof(generic), "perf::%s", name);
		ret = encode_as(e, generic);
	}
	if (ret != PFM_SUCCESS)
		ret = encode_as(e, name);
	if (ret == PFM_SUCCESS)
		return 0;
	err_set(err, -EINVAL, "'%s' is no event that this machine knows (libpfm4: %s)", name,
		pfm_strerror(ret));
	return err_advise(err, "perseus doctor --events lists them; rHEX is a raw one");
}

int event_encode(struct event *e, const char *name, struct err *err)
{
	return event_encode_named(e, name, name, err);
}

int event_encode_named(struct event *e, const char *name, const char *text, struct err *err)
{
	int ret;

	*e = (struct event){0};
	if (strlen(name) >= sizeof(e->name))
		return err_set(err, -ENAMETOOLONG,
			       "the name of event '%.30s..' has %zu characters, expected "
			       "at most %zu",
			       name, strlen(name), sizeof(e->name) - 1);
	for (const char *p = text; *p; p++)
		if (!isgraph((unsigned char)*p) || *p == ';')
			return err_set(err, -EINVAL, "'%s' is no event: no name holds '%c'", text, *p);
	ret = encode(e, text, err);
	strcpy(e->name, name);
	if (!ret && !names_level(text))
		e->flags |= PRS_EVENT_ANY_LEVEL;
	return ret;
}

int events_encode(struct event *e, size_t max, size_t *n, const char *names, struct err *err)
{
	char name[256];
	int ret = 0;

	*n = 0;
	while (!ret) {
		size_t len = strcspn(names, ",");

		if (!len)
			return err_set(err, -EINVAL, "an event without a name");
		if (*n == max)
			return err_set(err, -E2BIG, "more than %zu events", max);
		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		ret = event_encode(&e[*n], name, err);
		*n += !ret;
		if (!names[len])
			break;
		names += len + 1;
	}
	return ret;
}

void events_text(const struct event *e, size_t n, bool rdpmc, struct strbuf *out)
{
	strbuf_puts(out, rdpmc ? "rdpmc" : "read");
	for (size_t i = 0; i < n; i++)
		strbuf_printf(out, ";%x.%llx.%llx.%llx.%x %s", e[i].type, (unsigned long long)e[i].config,
			      (unsigned long long)e[i].config1, (unsigned long long)e[i].config2, e[i].flags,
			      e[i].name);
}

/* ---- trying ------------------------------------------------------------------- */

/* Whose events, and with whom they are counted. */
struct where {
	int tid, cpu, group;
	uint64_t format;
};
static const struct where myself = {0, -1, -1, 0};

static int open_as(const struct event *e, const struct where *w, bool user_only)
{
	struct perf_event_attr attr = {
		.read_format = w->format,
		.type = e->type,
		.size = sizeof(attr),
		.config = e->config,
		.config1 = e->config1,
		.config2 = e->config2,
		.exclude_user = !!(e->flags & PRS_EVENT_NO_USER),
		.exclude_kernel = user_only || e->flags & PRS_EVENT_NO_KERNEL,
		.exclude_hv = user_only || e->flags & PRS_EVENT_NO_HV,
		.exclude_host = !!(e->flags & PRS_EVENT_NO_HOST),
		.exclude_guest = !!(e->flags & PRS_EVENT_NO_GUEST),
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, w->tid, w->cpu, w->group, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool event_is_software(const struct event *e)
{
	return e->type == PERF_TYPE_SOFTWARE;
}

/* Switches and migrations happen inside the kernel: user mode alone sees none of them. */
static bool happens_in_kernel(const struct event *e)
{
	return event_is_software(e) &&
	       (e->config == PERF_COUNT_SW_CONTEXT_SWITCHES || e->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static int open_event(const struct event *e, const struct where *w, bool *user_only)
{
	int fd = open_as(e, w, false);

	*user_only = false;
	if ((fd != -EACCES && fd != -EPERM) || !(e->flags & PRS_EVENT_ANY_LEVEL) || happens_in_kernel(e))
		return fd;
	fd = open_as(e, w, true);
	*user_only = fd >= 0;
	return fd;
}

int event_open(const struct event *e, int tid, int cpu, int group, bool *user_only)
{
	struct where w = {tid, cpu, group,
			  PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				  PERF_FORMAT_TOTAL_TIME_RUNNING};

	return open_event(e, &w, user_only);
}

int event_try(const struct event *e, bool *user_only)
{
	int fd = open_event(e, &myself, user_only);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

bool event_is_known_anyway(const struct event *e)
{
	return event_is_software(e) &&
	       (e->config == PERF_COUNT_SW_CPU_CLOCK || e->config == PERF_COUNT_SW_TASK_CLOCK ||
		e->config == PERF_COUNT_SW_PAGE_FAULTS || e->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		e->config == PERF_COUNT_SW_PAGE_FAULTS_MIN || e->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

/* ---- rdpmc -------------------------------------------------------------------- */

#if defined(__x86_64__)
/* The cheapest of a few reads; the first one alone if it traps. */
static double time_rdpmc(const struct perf_event_mmap_page *page)
{
	double best = 0;

	for (int i = 0; i < RDPMC_READS && (!i || best < TRAP_NS); i++) {
		uint32_t index = __atomic_load_n(&page->index, __ATOMIC_ACQUIRE);
		uint64_t t0 = clock_wall_ns(), t1;

		if (!page->cap_user_rdpmc || !index)
			return 0;
		for (int k = 0; k < (i ? 8 : 1); k++)
			__builtin_ia32_rdpmc((int)index - 1);
		t1 = clock_wall_ns();
		if (!i || (double)(t1 - t0) / 8 < best)
			best = (double)(t1 - t0) / (i ? 8 : 1);
	}
	return best > 0 ? best : 1;
}
#else
static double time_rdpmc(const struct perf_event_mmap_page *page)
{
	(void)page;
	return 0;
}
#endif

/* In the child: nobody else dies of it. */
static void try_rdpmc(const struct event *e, int out)
{
	struct perf_event_mmap_page *page;
	bool user_only;
	int fd = open_event(e, &myself, &user_only);
	double ns;

	if (fd < 0)
		_exit(0);
	page = mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		_exit(0);
	ns = time_rdpmc(page);
	_exit(write(out, &ns, sizeof(ns)) != sizeof(ns));
}

double event_rdpmc_ns(const struct event *e)
{
	int ends[2], status;
	double ns = 0;
	pid_t child;

	if (event_is_software(e) || pipe(ends))
		return 0;
	child = fork();
	if (!child)
		try_rdpmc(e, ends[1]);
	close(ends[1]);
	if (child < 0 || read(ends[0], &ns, sizeof(ns)) != sizeof(ns))
		ns = 0;
	close(ends[0]);
	if (child > 0)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	return ns;
}

/* ---- why not -------------------------------------------------------------------- */

static const char *refused_right(const struct event *e, const char **remedy)
{
	int level = counters_paranoid("");

	if (level > 2) {
		*remedy = "as root: sysctl kernel.perf_event_paranoid=2";
		return "perf_event_paranoid closes counters to users";
	}
	if (level > 1) {
		*remedy = happens_in_kernel(e) ? "as root: sysctl kernel.perf_event_paranoid=1"
					       : "as root: sysctl kernel.perf_event_paranoid=1, or count in "
						 "user mode: NAME:u";
		return "perf_event_paranoid allows user mode alone";
	}
	*remedy = "a container: --cap-add PERFMON, and allow perf_event_open in seccomp";
	return "the system does not permit perf_event_open";
}

const char *event_refusal(const struct event *e, int error, const char **remedy)
{
	*remedy = NULL;
	switch (error) {
	case EACCES:
	case EPERM:
		return refused_right(e, remedy);
	case ENOSYS:
		*remedy = "a container: allow perf_event_open in seccomp; else a kernel with "
			  "CONFIG_PERF_EVENTS";
		return "there is no perf_event_open here";
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		if (event_is_software(e) || !counters_virtual(""))
			return "this machine does not count it";
		*remedy = "on the host: -cpu host,pmu=on; software events work: task-clock, page-faults";
		return "this virtual machine has no such counter";
	case EMFILE:
	case ENFILE:
		*remedy = "ulimit -n with a higher number";
		return "too many files are open";
	case EBUSY:
	case ENOSPC:
		return "the counters are taken";
	default:
		return strerror(error);
	}
}

/* ---- all there are ---------------------------------------------------------------- */

struct each {
	void (*visit)(void *arg, const char *name, const char *about);
	void *arg;
};

static void each_mask(const struct each *each, const pfm_event_info_t *info)
{
	char name[256];

	for (int i = 0; i < info->nattrs; i++) {
		pfm_event_attr_info_t mask = {.size = sizeof(mask)};

		if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT, &mask) != PFM_SUCCESS ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		snprintf(name, sizeof(name), "%s:%s", info->name, mask.name);
		each->visit(each->arg, name, mask.desc ? mask.desc : info->desc);
	}
}

static bool has_masks(const pfm_event_info_t *info)
{
	for (int i = 0; i < info->nattrs; i++) {
		pfm_event_attr_info_t mask = {.size = sizeof(mask)};

		if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT, &mask) == PFM_SUCCESS &&
		    mask.type == PFM_ATTR_UMASK)
			return true;
	}
	return false;
}

static void each_event(const struct each *each, const pfm_pmu_info_t *pmu)
{
	for (int i = pmu->first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t info = {.size = sizeof(info)};

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS)
			continue;
		if (has_masks(&info))
			each_mask(each, &info);
		else
			each->visit(each->arg, info.name, info.desc);
	}
}

/* Tracepoints would be thousands; raw events have no names. */
static bool worth_listing(const pfm_pmu_info_t *pmu)
{
	return pmu->is_present && strcmp(pmu->name, "perf_raw") &&
	       (pmu->type == PFM_PMU_TYPE_CORE || !strcmp(pmu->name, "perf"));
}

int events_each(void (*visit)(void *arg, const char *name, const char *about), void *arg, struct err *err)
{
	struct each each = {visit, arg};

	if (pfm_initialize() != PFM_SUCCESS)
		return err_set(err, -ENOSYS, "libpfm4 does not work here");
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

		if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS && worth_listing(&pmu))
			each_event(&each, &pmu);
	}
	return 0;
}
