/* SPDX-License-Identifier: MIT */
/* Waits: who, at what, for whom. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/strbuf.h"
#include "report/collect.h"

const char *report_wait_kind(uint32_t kind)
{
	switch (kind) {
	case 0:
		return "call";
	case PRS_EV_JOIN:
		return "join";
	case PRS_EV_MUTEX:
		return "mutex";
	case PRS_EV_COND:
		return "condition";
	case PRS_EV_BARRIER:
		return "barrier";
	case PRS_EV_SLEEP:
		return "sleep";
	case PRS_EV_SEM:
		return "semaphore";
	case PRS_EV_RWLOCK:
		return "rwlock";
	default:
		return "event";
	}
}

/* One thread's arrival at a barrier; the last of a generation is the one the others waited for. */
struct arrival {
	uint64_t object;
	int64_t generation;
	uint64_t begin;
	uint32_t thread;
};
struct arrival_list VEC(struct arrival);

static int by_generation(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->generation != y->generation)
		return x->generation < y->generation ? -1 : 1;
	return (x->begin < y->begin) - (x->begin > y->begin); /* the last one first */
}

static void gather_arrivals(const struct run_process *p, struct arrival_list *out)
{
	for (size_t i = 0; i < p->n_threads; i++)
		for (size_t k = 0; k < p->threads[i].n_events; k++) {
			const struct prs_event *e = &p->threads[i].events[k];

			if (e->kind != PRS_EV_BARRIER || e->value < 0)
				continue;
			vec_push(out, ((struct arrival){e->object, e->value, e->begin, (uint32_t)i}));
		}
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_generation);
}

/* The thread that came last to the barrier of @e, PRS_NO_THREAD if unknown. */
static uint32_t last_arrival(const struct arrival_list *list, const struct prs_event *e)
{
	size_t lo = 0, hi = list->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct arrival *a = &list->at[mid];

		if (a->object < e->object || (a->object == e->object && a->generation < e->value))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == list->n || list->at[lo].object != e->object || list->at[lo].generation != e->value)
		return PRS_NO_THREAD;
	return list->at[lo].thread;
}

/* Index in s->threads of thread 0 of @p: the table is in the order of processes and threads. */
static size_t first_line(const struct report_summary *s, const struct run_process *p)
{
	size_t at = 0;

	for (const struct run_process *q = s->run->processes; q < p; q++)
		at += q->n_threads;
	return at;
}

/* Place in memory is enough of an order to bring equal ones together. */
static int by_raw(const void *a, const void *b)
{
	const struct wait_row *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->who != y->who)
		return x->who < y->who ? -1 : 1;
	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	return (x->whom > y->whom) - (x->whom < y->whom);
}

/* Bring equal rows together before they are named: a loop at a lock makes thousands. */
static void fold_waits(struct wait_list *rows)
{
	size_t n = 0;

	if (rows->n)
		qsort(rows->at, rows->n, sizeof(*rows->at), by_raw);
	for (size_t i = 0; i < rows->n; i++) {
		if (n && !by_raw(&rows->at[n - 1], &rows->at[i])) {
			rows->at[n - 1].count += rows->at[i].count;
			rows->at[n - 1].ns += rows->at[i].ns;
		} else {
			rows->at[n++] = rows->at[i];
		}
	}
	rows->n = n;
}

static void process_waits(struct report_summary *s, const struct run_process *p, struct wait_list *rows)
{
	struct report_thread *names = s->threads + first_line(s, p);
	struct arrival_list arrivals = VEC_INIT;

	gather_arrivals(p, &arrivals);
	for (size_t i = 0; i < p->n_threads; i++)
		for (size_t k = 0; k < p->threads[i].n_events; k++) {
			const struct prs_event *e = &p->threads[i].events[k];
			uint32_t other = e->kind == PRS_EV_BARRIER ? last_arrival(&arrivals, e) : e->other;
			struct wait_row w = {.process = p,
					     .object = e->object,
					     .kind = e->kind,
					     .site = e->site,
					     .who = names[i].name,
					     .count = 1,
					     .ns = (double)(e->end - e->begin) * p->ns_per_tick};

			if (!is_wait(e->kind) || e->end == e->begin)
				continue;
			if (e->kind == PRS_EV_JOIN)
				w.object = 0; /* a thread, not a variable */
			if ((e->kind == PRS_EV_JOIN || e->kind == PRS_EV_BARRIER) && other < p->n_threads &&
			    other != i)
				w.whom = names[other].name;
			vec_push(rows, w);
		}
	vec_release(&arrivals);
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

/* "stage", "pool.lock", "locks[3]"; NULL for what is no variable of the program. */
static const char *object_name(struct report_summary *s, const struct wait_row *w)
{
	uint64_t offset = 0;
	const struct run_symbol *sym = w->object ? run_symbol(s->run, w->process, w->object, &offset) : NULL;
	const struct run_variable *var = sym ? find_variable(s->run, sym->name) : NULL;
	const struct run_type *type = var ? run_type(s->run, var->type) : NULL;
	struct strbuf sb = STRBUF_INIT;
	char field[128];
	const char *name;

	if (!sym)
		return NULL;
	strbuf_puts(&sb, pretty_name(s, sym->name));
	if (type && type->bytes && var->bytes > type->bytes)
		strbuf_printf(&sb, "[%llu]", (unsigned long long)(offset / type->bytes));
	if (type && type->bytes && !run_field_name(type, offset % type->bytes, field, sizeof(field)))
		add_field(&sb, field);
	else if (!type && offset)
		strbuf_printf(&sb, "+%llu", (unsigned long long)offset);
	name = summary_name(s, sb.s);
	strbuf_release(&sb);
	return name;
}

/* What stays the same from run to run: no address, no thread number. */
static void wait_key(struct strbuf *key, const struct report_wait *w, const struct run_call_site *site)
{
	strbuf_printf(key, "%s\n%s\n%s\n%s\n%s", report_wait_kind(w->kind), w->object ? w->object : "",
		      w->who, w->whom ? w->whom : "", site ? site->id : "");
}

struct keyed_wait {
	struct report_wait wait;
	char *key;
};
struct keyed_list VEC(struct keyed_wait);

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct keyed_wait *)a)->key, ((const struct keyed_wait *)b)->key);
}

static struct keyed_wait name_wait(struct report_summary *s, const struct wait_row *r)
{
	const struct run_call_site *site = run_call_site(r->process, r->site);
	struct keyed_wait k = {.wait = {.kind = r->kind,
					.who = r->who,
					.whom = r->whom,
					.object = r->callee ? pretty_name(s, r->callee) : object_name(s, r),
					.count = r->count,
					.ns = r->ns}};
	struct strbuf key = STRBUF_INIT;

	if (site && strcmp(site->file, "-")) {
		struct run_place place;

		run_site_place(s->run, site, &place);
		k.wait.file = place.file;
		k.wait.line = place.line;
	}
	wait_key(&key, &k.wait, site);
	k.key = strbuf_detach(&key);
	return k;
}

static int by_time(const void *a, const void *b)
{
	const struct report_wait *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return strcmp(x->id, y->id);
}

static bool id_taken(const struct report_summary *s, const char *id)
{
	for (size_t i = 0; i < s->n_waits; i++)
		if (!strcmp(s->waits[i].id, id))
			return true;
	return false;
}

/* Equal keys become one wait; ids are given in the order of the keys. */
static void merge_waits(struct report_summary *s, struct keyed_list *list)
{
	s->waits = mem_new(list->n + 1, sizeof(*s->waits));
	for (size_t i = 0; i < list->n; i++) {
		struct report_wait *w = &s->waits[s->n_waits];
		unsigned step = 0;

		if (i && !by_key(&list->at[i - 1], &list->at[i])) {
			w[-1].count += list->at[i].wait.count;
			w[-1].ns += list->at[i].wait.ns;
			continue;
		}
		*w = list->at[i].wait;
		do
			evidence_id(w->id, sizeof(w->id), "wait", list->at[i].key, step);
		while (id_taken(s, w->id) && step++ < 1000);
		s->n_waits++;
	}
}

void collect_waits(struct report_summary *s, struct wait_list *rows)
{
	struct keyed_list list = VEC_INIT;

	for (size_t i = 0; i < s->run->n_processes; i++)
		process_waits(s, &s->run->processes[i], rows);
	fold_waits(rows);
	for (size_t i = 0; i < rows->n; i++)
		vec_push(&list, name_wait(s, &rows->at[i]));
	if (list.n)
		qsort(list.at, list.n, sizeof(*list.at), by_key);
	merge_waits(s, &list);
	if (s->n_waits)
		qsort(s->waits, s->n_waits, sizeof(*s->waits), by_time);
	for (size_t i = 0; i < list.n; i++)
		free(list.at[i].key);
	vec_release(&list);
}
