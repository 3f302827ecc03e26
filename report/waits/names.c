/* SPDX-License-Identifier: MIT */
/* What people call the things that threads wait at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "record/object-name.h"
#include "report/waits/parts.h"

const char *report_wait_kind(uint32_t kind)
{
	static const char *const names[] = {
		[0] = "call",
		[PRS_EV_JOIN] = "join",
		[PRS_EV_MUTEX] = "mutex",
		[PRS_EV_COND] = "condition",
		[PRS_EV_BARRIER] = "barrier",
		[PRS_EV_SLEEP] = "sleep",
		[PRS_EV_SEM] = "semaphore",
		[PRS_EV_RWLOCK] = "rwlock",
		[PRS_EV_POLL] = "poll",
		[PRS_EV_READ] = "read",
		[PRS_EV_WRITE] = "write",
		[PRS_EV_SPIN] = "spinlock",
		[PRS_EV_WAITPID] = "child",
		[PRS_EV_FUTEX] = "futex",
		[PRS_EV_TEAM] = "team",
		[PRS_EV_ACCEPT] = "accept",
		[PRS_EV_CONNECT] = "connect",
		[PRS_EV_SIGWAIT] = "signal",
	};

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "event";
}

static const char *names_finish(struct report_summary *s, struct strbuf *sb)
{
	const char *name = summary_name(s, sb->s);

	strbuf_release(sb);
	return name;
}

static bool at_descriptor(uint32_t kind)
{
	return kind == PRS_EV_POLL || kind == PRS_EV_READ || kind == PRS_EV_WRITE || kind == PRS_EV_ACCEPT ||
	       kind == PRS_EV_CONNECT;
}

bool wait_descriptor_name(struct strbuf *out, uint32_t wait, uint64_t object, int fd)
{
	static const char *const kinds[] = {[PRS_FD_PIPE] = "pipe",
					    [PRS_FD_SOCKET] = "socket",
					    [PRS_FD_TERMINAL] = "terminal",
					    [PRS_FD_DEVICE] = "device",
					    [PRS_FD_EVENT] = "event descriptor"};
	uint64_t kind = object >> PRS_FD_SHIFT;

	if (!at_descriptor(wait) || !kind || kind >= sizeof(kinds) / sizeof(kinds[0]))
		return false;
	strbuf_puts(out, kinds[kind]);
	if (fd >= 0)
		strbuf_printf(out, " %d", fd);
	return true;
}

/* An OpenMP region is a function that the compiler cut out of the one that people know. */
static const char *region_name(struct report_summary *s, const struct run_process *p, uint64_t object)
{
	const struct run_symbol *sym = object ? run_symbol(s->run, p, object, NULL) : NULL;
	struct strbuf sb = STRBUF_INIT;
	char name[256];
	char *cut;

	if (!sym)
		return NULL;
	snprintf(name, sizeof(name), "%s", sym->name);
	cut = strstr(name, "._omp_fn");
	if (cut)
		*cut = '\0';
	strbuf_printf(&sb, "region in %s", pretty_name(s, summary_name(s, name)));
	return names_finish(s, &sb);
}

const char *wait_object_name(struct report_summary *s, const struct run_process *p, uint32_t kind,
			     uint64_t object, int fd)
{
	struct strbuf sb = STRBUF_INIT;

	if (kind == PRS_EV_JOIN)
		return NULL; /* a thread, not a variable */
	if (kind == PRS_EV_TEAM)
		return region_name(s, p, object);
	if (at_descriptor(kind))
		return wait_descriptor_name(&sb, kind, object, fd) ? names_finish(s, &sb) : NULL;
	return object_name(&sb, s->object_names[p - s->run->processes], object) ? names_finish(s, &sb) : NULL;
}

const struct report_thread *wait_thread_line(const struct report_summary *s, const struct run_process *p,
					     uint32_t thread)
{
	size_t at = 0;

	if (thread >= p->n_threads)
		return NULL;
	for (const struct run_process *q = s->run->processes; q < p; q++)
		at += q->n_threads;
	return &s->threads[at + thread];
}
