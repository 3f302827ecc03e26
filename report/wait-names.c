/* SPDX-License-Identifier: MIT */
/* What people call the things that threads wait at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "report/collect.h"

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

static const struct run_variable *find_variable(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->n_modules; i++)
		for (size_t k = 0; k < run->modules[i].sites.n_vars; k++)
			if (!strcmp(run->modules[i].sites.vars[k].name, name))
				return &run->modules[i].sites.vars[k];
	return NULL;
}

/* The field as far as the program wrote it: parts that begin with '_' are inside of a library type. */
static void add_field(struct strbuf *sb, char *field)
{
	char *rest;

	for (char *part = strtok_r(field, ".", &rest); part && *part != '_';
	     part = strtok_r(NULL, ".", &rest))
		strbuf_printf(sb, ".%s", part);
}

static const char *finish(struct report_summary *s, struct strbuf *sb)
{
	const char *name = summary_name(s, sb->s);

	strbuf_release(sb);
	return name;
}

static const char *variable_name(struct report_summary *s, const struct run_symbol *sym, uint64_t offset)
{
	const struct run_variable *var = find_variable(s->run, sym->name);
	const struct run_type *type = var ? run_type(s->run, var->type) : NULL;
	struct strbuf sb = STRBUF_INIT;
	char field[128];

	strbuf_puts(&sb, pretty_name(s, sym->name));
	if (type && type->bytes && var->bytes > type->bytes)
		strbuf_printf(&sb, "[%llu]", (unsigned long long)(offset / type->bytes));
	if (type && type->bytes && !run_field_name(type, offset % type->bytes, field, sizeof(field)))
		add_field(&sb, field);
	else if (!type && offset)
		strbuf_printf(&sb, "+%llu", (unsigned long long)offset);
	return finish(s, &sb);
}

/* The newest allocation that holds @object; a record has these only of sharing runs. */
static const struct prs_note *find_note(const struct run_process *p, uint64_t object)
{
	const struct prs_note *best = NULL;

	for (size_t i = 0; i < p->n_threads; i++)
		for (size_t k = 0; k < p->threads[i].n_notes; k++) {
			const struct prs_note *n = &p->threads[i].notes[k];

			if (object < n->address || object - n->address >= n->bytes)
				continue;
			if (!best || n->tsc > best->tsc)
				best = n;
		}
	return best;
}

/* "struct queue.lock" of an allocation whose type is known. */
static const char *heap_name(struct report_summary *s, const struct run_process *p, uint64_t object)
{
	const struct prs_note *note = find_note(p, object);
	const struct run_call_site *site = note ? run_call_site(p, note->site) : NULL;
	const struct run_type *type;
	struct strbuf sb = STRBUF_INIT;
	char field[128];

	if (!site || !site->alloc_type || !strcmp(site->alloc_type, "-"))
		return NULL;
	strbuf_puts(&sb, site->alloc_type);
	type = run_type(s->run, site->alloc_type);
	if (type && type->bytes &&
	    !run_field_name(type, (object - note->address) % type->bytes, field, sizeof(field)))
		add_field(&sb, field);
	return finish(s, &sb);
}

static const char *stack_name(struct report_summary *s, const struct run_process *p, uint64_t object)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < p->n_threads; i++) {
		const struct prs_thread *t = p->threads[i].raw;

		if (object < t->stack_low || object >= t->stack_high)
			continue;
		strbuf_printf(&sb, "local of %s", wait_thread_line(s, p, (uint32_t)i)->name);
		return finish(s, &sb);
	}
	return NULL;
}

static const char *descriptor_name(struct report_summary *s, uint64_t object, int fd)
{
	static const char *const kinds[] = {[PRS_FD_PIPE] = "pipe",
					    [PRS_FD_SOCKET] = "socket",
					    [PRS_FD_TERMINAL] = "terminal",
					    [PRS_FD_DEVICE] = "device",
					    [PRS_FD_EVENT] = "event descriptor"};
	uint64_t kind = object >> PRS_FD_SHIFT;
	struct strbuf sb = STRBUF_INIT;

	if (!kind || kind >= sizeof(kinds) / sizeof(kinds[0]))
		return NULL;
	strbuf_puts(&sb, kinds[kind]);
	if (fd >= 0)
		strbuf_printf(&sb, " %d", fd);
	return finish(s, &sb);
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
	return finish(s, &sb);
}

const char *wait_object_name(struct report_summary *s, const struct run_process *p, uint32_t kind,
			     uint64_t object, int fd)
{
	const struct run_symbol *sym;
	uint64_t offset = 0;
	const char *name;

	switch (kind) {
	case PRS_EV_JOIN:
		return NULL; /* a thread, not a variable */
	case PRS_EV_POLL:
	case PRS_EV_READ:
	case PRS_EV_WRITE:
	case PRS_EV_ACCEPT:
	case PRS_EV_CONNECT:
		return descriptor_name(s, object, fd);
	case PRS_EV_TEAM:
		return region_name(s, p, object);
	default:
		break;
	}
	sym = object ? run_symbol(s->run, p, object, &offset) : NULL;
	if (sym)
		return variable_name(s, sym, offset);
	name = object ? heap_name(s, p, object) : NULL;
	return name || !object ? name : stack_name(s, p, object);
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
