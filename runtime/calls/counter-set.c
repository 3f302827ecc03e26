/* SPDX-License-Identifier: MIT */
#include "runtime/calls/counter-set.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "arch/pmc.h"

struct counter_plan counter_plan;

/* ---- descriptors ------------------------------------------------------------- */

static bool fd_take(void)
{
	if (rt_add(&counter_plan.fds, 1) < counter_plan.fds_max)
		return true;
	rt_add(&counter_plan.fds, (uint32_t)-1);
	return false;
}

static uint64_t id_of(int fd)
{
	uint64_t id = 0;

	rt_syscall3(SYS_ioctl, fd, (long)PERF_EVENT_IOC_ID, (long)&id);
	return id;
}

static bool still_ours(const struct counter_set *s, uint32_t i)
{
	return s->fd[i] >= 0 && id_of(s->fd[i]) == s->id[i];
}

/* ---- opening ----------------------------------------------------------------- */

static void counter_set_fill(struct perf_event_attr *a, const struct counter_event *e, bool user_only)
{
	a->type = e->type;
	a->size = sizeof(*a);
	a->config = e->config;
	a->config1 = e->config1;
	a->config2 = e->config2;
	a->exclude_user = !!(e->flags & PRS_EVENT_NO_USER);
	a->exclude_kernel = user_only || e->flags & PRS_EVENT_NO_KERNEL;
	a->exclude_hv = user_only || e->flags & PRS_EVENT_NO_HV;
	a->exclude_guest = !!(e->flags & PRS_EVENT_NO_GUEST);
	a->exclude_host = !!(e->flags & PRS_EVENT_NO_HOST);
	a->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

static int open_as(const struct counter_event *e, bool user_only, int group)
{
	struct perf_event_attr a = {0};

	counter_set_fill(&a, e, user_only);
	return (int)rt_syscall(SYS_perf_event_open, (long)&a, 0, -1, group, PERF_FLAG_FD_CLOEXEC, 0);
}

/* Switches and migrations happen inside the kernel: a count of user mode would be 0, and a lie. */
static bool happens_in_kernel(const struct counter_event *e)
{
	return e->type == PERF_TYPE_SOFTWARE &&
	       (e->config == PERF_COUNT_SW_CONTEXT_SWITCHES || e->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/* User mode alone where the system allows no more, and nobody asked for more by name. */
static int open_event(struct counter_event *e, int group)
{
	int fd = open_as(e, e->user_only, group);

	if ((fd != -EACCES && fd != -EPERM) || e->user_only || counter_plan.known)
		return fd;
	if (!(e->flags & PRS_EVENT_ANY_LEVEL) || happens_in_kernel(e))
		return fd;
	fd = open_as(e, true, group);
	e->user_only = fd >= 0;
	return fd;
}

static bool software(uint32_t i)
{
	return counter_plan.event[i].type == PERF_TYPE_SOFTWARE;
}

bool counter_is_clock(const struct counter_event *e)
{
	return e->type == PERF_TYPE_SOFTWARE &&
	       (e->config == PERF_COUNT_SW_CPU_CLOCK || e->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* A clock in a group stands still, and so does everything else in the group of a clock (Linux 6.18). */
static bool stands_alone(uint32_t i)
{
	return counter_plan.lone || counter_is_clock(&counter_plan.event[i]);
}

/* The leader of the last group of the same kind, which @i may join, or @i itself. */
static uint32_t leader_for(const struct counter_set *s, uint32_t i)
{
	for (uint32_t k = i; !stands_alone(i) && k-- > 0;)
		if (s->fd[k] >= 0 && software(k) == software(i) && !stands_alone(k))
			return s->lead[k];
	return i;
}

/* Pages for all counters of the hardware or for none: a group is read in one way. */
static void map_pages(struct counter_set *s)
{
	s->by_page = false;
	for (uint32_t i = 0; counter_plan.pages && i < counter_plan.n; i++) {
		if (s->fd[i] < 0 || software(i))
			continue;
		s->page[i] = sys_mmap(PRS_PAGE_BYTES, PROT_READ, MAP_SHARED, s->fd[i]);
		s->by_page = s->page[i] != NULL;
		if (!s->page[i])
			break;
	}
}

/* The kernel refuses the member that the hardware cannot count together with the others. */
static int open_one(struct counter_set *s, uint32_t i)
{
	struct counter_event *e = &counter_plan.event[i];
	uint32_t lead = leader_for(s, i);
	int fd;

	if (!fd_take())
		return -EMFILE;
	fd = open_event(e, lead == i ? -1 : s->fd[lead]);
	if (fd < 0 && lead != i) {
		lead = i;
		fd = open_event(e, -1);
	}
	if (fd < 0) {
		rt_add(&counter_plan.fds, (uint32_t)-1);
		return fd;
	}
	s->fd[i] = sys_raise_fd(fd);
	s->id[i] = id_of(s->fd[i]);
	s->lead[i] = lead;
	return 0;
}

/* ---- what the system knows without counters -------------------------------------- */

static bool system_knows(const struct counter_event *e)
{
	if (e->type != PERF_TYPE_SOFTWARE)
		return false;
	switch (e->config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return true;
	default:
		return false;
	}
}

static uint64_t system_value(const struct counter_event *e, const struct rusage *ru, uint64_t cpu_ns)
{
	switch (e->config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
		return (uint64_t)(ru->ru_minflt + ru->ru_majflt);
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
		return (uint64_t)ru->ru_minflt;
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return (uint64_t)ru->ru_majflt;
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
		return (uint64_t)(ru->ru_nvcsw + ru->ru_nivcsw);
	default:
		return cpu_ns;
	}
}

static bool uses_system(void)
{
	for (uint32_t i = 0; i < counter_plan.n; i++)
		if (counter_plan.event[i].source == COUNTER_SYSTEM)
			return true;
	return false;
}

/* Another thread's usage cannot be asked for: only its clock goes on then. */
static void system_read(struct counter_set *s, uint64_t now)
{
	bool own = sys_gettid() == s->tid;
	uint64_t cpu = own ? sys_cpu_ns() : sys_cpu_ns_of(s->tid);
	struct rusage ru = {0};

	if (own)
		rt_syscall3(SYS_getrusage, RUSAGE_THREAD, (long)&ru, 0);
	for (uint32_t i = 0; i < counter_plan.n; i++) {
		const struct counter_event *e = &counter_plan.event[i];
		uint64_t value = system_value(e, &ru, cpu);

		if (e->source != COUNTER_SYSTEM || value < s->base[i] + s->last[i].value)
			continue;
		s->last[i].value = value - s->base[i];
		s->last[i].enabled = s->last[i].running = now - s->opened;
	}
}

static void system_begin(struct counter_set *s)
{
	struct rusage ru = {0};
	uint64_t cpu = sys_cpu_ns();

	rt_syscall3(SYS_getrusage, RUSAGE_THREAD, (long)&ru, 0);
	for (uint32_t i = 0; i < counter_plan.n; i++)
		if (counter_plan.event[i].source == COUNTER_SYSTEM)
			s->base[i] = system_value(&counter_plan.event[i], &ru, cpu);
}

/* ---- the set ---------------------------------------------------------------------- */

/* What the first thread met holds for the process. */
static void counter_set_settle(struct counter_set *s, uint32_t i, int error)
{
	struct counter_event *e = &counter_plan.event[i];

	e->error = -error;
	e->group = s->lead[i];
	e->source = !error ? COUNTER_PERF : system_knows(e) ? COUNTER_SYSTEM : COUNTER_NONE;
}

static void set_clear(struct counter_set *s)
{
	*s = (struct counter_set){.tid = sys_gettid(), .opened = rt_ticks()};
	for (uint32_t i = 0; i < PRS_EVENTS_MAX; i++) {
		s->fd[i] = -1;
		s->lead[i] = i;
	}
}

bool set_open(struct counter_set *s)
{
	bool any = false;

	set_clear(s);
	for (uint32_t i = 0; i < counter_plan.n; i++) {
		int error = 0;

		if (!counter_plan.known || counter_plan.event[i].source == COUNTER_PERF)
			error = open_one(s, i);
		if (!counter_plan.known)
			counter_set_settle(s, i, error);
		s->error[i] = -error;
		any |= counter_plan.event[i].source != COUNTER_NONE;
	}
	map_pages(s);
	if (uses_system())
		system_begin(s);
	return any;
}

bool set_lacks(const struct counter_set *s)
{
	for (uint32_t i = 0; i < counter_plan.n; i++)
		if (counter_plan.event[i].source == COUNTER_PERF && s->fd[i] < 0)
			return true;
	return false;
}

/* Members follow their leader in the order in which they were opened. */
static void group_read(struct counter_set *s, uint32_t lead)
{
	uint64_t answer[3 + PRS_EVENTS_MAX];
	uint64_t n = 0;
	long got;

	if (!still_ours(s, lead))
		return;
	got = sys_read(s->fd[lead], answer, sizeof(answer));
	if (got < (long)(3 * sizeof(answer[0])) || (uint64_t)got != (3 + answer[0]) * sizeof(answer[0]))
		return;
	for (uint32_t i = lead; i < counter_plan.n && n < answer[0]; i++)
		if (s->fd[i] >= 0 && s->lead[i] == lead)
			s->last[i] = (struct prs_counter_value){answer[3 + n++], answer[1], answer[2]};
}

static void page_read(struct counter_set *s, uint32_t i)
{
	static const struct counter_hands hands = {arch_pmc, arch_tsc};
	struct counter_reading r;

	if (counter_page_read(s->page[i], &hands, &r))
		s->last[i] = (struct prs_counter_value){r.value, r.enabled, r.running};
}

/* A page tells of the thread that runs here, and of no other. */
static bool pages_serve(const struct counter_set *s)
{
	return s->by_page && counter_plan.rung == PRS_RUNG_RDPMC && sys_gettid() == s->tid;
}

void set_read(struct counter_set *s, uint64_t now)
{
	bool by_page = pages_serve(s);
	bool due = !by_page || now - s->read_at >= counter_plan.read_interval;

	for (uint32_t i = 0; i < counter_plan.n; i++) {
		if (s->fd[i] < 0)
			continue;
		if (by_page && s->page[i])
			page_read(s, i);
		else if (due && s->lead[i] == i)
			group_read(s, i);
	}
	if (!due)
		return;
	s->read_at = now;
	if (uses_system())
		system_read(s, now);
}

void set_drop(struct counter_set *s)
{
	for (uint32_t i = 0; i < PRS_EVENTS_MAX; i++) {
		if (s->fd[i] < 0)
			continue;
		if (still_ours(s, i))
			sys_close(s->fd[i]);
		s->fd[i] = -1;
		rt_add(&counter_plan.fds, (uint32_t)-1);
	}
}

void set_close(struct counter_set *s)
{
	for (uint32_t i = 0; i < PRS_EVENTS_MAX; i++) {
		if (s->page[i])
			sys_munmap(s->page[i], PRS_PAGE_BYTES);
		s->page[i] = NULL;
	}
	set_drop(s);
}
