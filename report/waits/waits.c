/* SPDX-License-Identifier: MIT */
/* Waits: who, at what, for whom. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/strbuf.h"
#include "record/object-name.h"
#include "report/time/collect.h"
#include "report/waits/parts.h"
#include "report/waits/waits.h"

/* Of as many others the shares are kept apart. */
#define WHOMS_MAX 64

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
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->other > y->other) - (x->other < y->other);
}

/* Bring equal rows together before they are named: records without sums have one for each wait. */
static void fold_waits(struct wait_list *rows)
{
	size_t n = 0;

	if (rows->n)
		qsort(rows->at, rows->n, sizeof(*rows->at), by_raw);
	for (size_t i = 0; i < rows->n; i++) {
		struct wait_row *to = n ? &rows->at[n - 1] : NULL;
		const struct wait_row *from = &rows->at[i];

		if (!to || by_raw(to, from)) {
			rows->at[n++] = *from;
			continue;
		}
		to->count += from->count;
		to->ns += from->ns;
		to->open += from->open;
		if (from->max_ns > to->max_ns)
			to->max_ns = from->max_ns;
		if (from->first < to->first)
			to->first = from->first;
	}
	rows->n = n;
}

static void thread_waits(struct report_summary *s, const struct run_process *p, uint32_t thread,
			 const struct wait_places *places, struct wait_list *rows)
{
	const struct run_thread *t = &p->threads[thread];

	for (size_t i = 0; i < t->n_waits; i++) {
		const struct prs_wait *w = &t->waits[i];
		const struct report_thread *whom;
		uint32_t site, inner;

		if (!is_wait(w->kind) || w->flags & PRS_WAIT_TAKEN)
			continue;
		inner = wait_places_site(places, p, w->caller, w->site);
		site = wait_places_outside(s->run, p, thread, inner,
					   wait_places_better(places, p, thread, inner, w));
		whom = w->other == thread ? NULL : wait_thread_line(s, p, w->other);
		vec_push(rows, ((struct wait_row){.process = p,
						  .object = w->kind == PRS_EV_JOIN ? 0 : w->object,
						  .kind = w->kind,
						  .site = site,
						  .inner = inner,
						  .who = wait_thread_line(s, p, thread)->name,
						  .whom = whom ? whom->name : NULL,
						  .count = w->count,
						  .ns = (double)w->ticks * p->ns_per_tick,
						  .max_ns = (double)w->max * p->ns_per_tick,
						  .caller = w->caller,
						  .pair = w->pair,
						  .first = w->first,
						  .thread = thread,
						  .open = w->flags == PRS_WAIT_OPEN,
						  .other = whom ? w->other : PRS_NO_THREAD,
						  .fd = w->fd}));
	}
}

/* ---- names and keys -------------------------------------------------------------- */

struct keyed_wait {
	struct report_wait wait;
	struct report_whom whom; /* name NULL: not known */
	const struct report_thread *thread;
	const struct wait_row *row;
	uint64_t object;
	char *key;
};
struct keyed_list VEC(struct keyed_wait);

/*
 * What stays the same from run to run: no address, no thread number.  A call in a header of
 * the system is one site however many functions it was put into, so those are distinguished.
 */
static void wait_key(struct strbuf *key, const struct report_wait *w, const char *whom,
		     const struct run_call_site *site)
{
	bool elsewhere = site && w->file && strcmp(w->file, site->file) != 0;

	strbuf_printf(key, "%s\n%s\n%s\n%s\n%s", report_wait_kind(w->kind), w->object ? w->object : "",
		      w->who, w->kind == PRS_EV_JOIN && whom ? whom : "", site ? site->id : "");
	if (elsewhere)
		strbuf_printf(key, "\n%s", w->function);
}

static int text_compare(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* One finding: the same key, and in the eyes of a reader one place. */
static int by_finding(const struct keyed_wait *x, const struct keyed_wait *y)
{
	int c = strcmp(x->key, y->key);

	if (!c)
		c = text_compare(x->wait.function, y->wait.function);
	if (!c)
		c = text_compare(x->wait.file, y->wait.file);
	return c ? c : (x->wait.line > y->wait.line) - (x->wait.line < y->wait.line);
}

static int waits_by_key(const void *a, const void *b)
{
	const struct keyed_wait *x = a, *y = b;
	int c = by_finding(x, y);

	if (c)
		return c;
	if (x->wait.ns != y->wait.ns)
		return x->wait.ns > y->wait.ns ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* For what lies outside the program's own threads, nobody in it can do anything. */
static bool is_outside(uint32_t kind)
{
	switch (kind) {
	case 0:
	case PRS_EV_SLEEP:
	case PRS_EV_WAITPID:
	case PRS_EV_SIGWAIT:
	case PRS_EV_ACCEPT:
	case PRS_EV_CONNECT:
	case PRS_EV_POLL:
	case PRS_EV_READ:
	case PRS_EV_WRITE:
		return true;
	default:
		return false;
	}
}

static void place_wait(struct report_summary *s, struct report_wait *w, const struct run_call_site *site)
{
	struct run_place place;

	if (!site)
		return;
	run_site_place(s->run, site, &place);
	w->function = pretty_name(s, summary_name(s, place.function));
	if (!strcmp(site->file, "-"))
		return;
	w->file = place.file;
	w->line = place.line;
}

/* Who called the function that waits: many programs wait in one that does nothing else. */
static void place_from(struct report_summary *s, struct report_wait *w, const struct wait_row *r)
{
	uint32_t round = wait_places_round(r->process, r->thread, r->site);
	const struct run_call_site *site = run_call_site(r->process, round);
	struct run_place place;

	if (!site || !w->function)
		return;
	run_site_place(s->run, site, &place);
	if (!strncmp(place.file, "/usr/", 5))
		return;
	w->from_function = pretty_name(s, summary_name(s, place.function));
	if (!strcmp(site->file, "-"))
		return;
	w->from_file = place.file;
	w->from_line = place.line;
}

static void add_other(struct report_wait *w, const struct report_place *place)
{
	if (text_equal(place->function, w->function) && text_equal(place->file, w->file) &&
	    place->line == w->line)
		return;
	for (size_t i = 0; i < w->n_others; i++)
		if (text_equal(place->function, w->others[i].function) &&
		    text_equal(place->file, w->others[i].file) && place->line == w->others[i].line)
			return;
	if (w->n_others < REPORT_OTHERS)
		w->others[w->n_others++] = *place;
}

/* Where else the thread waits by the same function of the system's headers. */
static void place_others(struct report_summary *s, struct report_wait *w, const struct wait_row *r)
{
	uint32_t sites[REPORT_OTHERS];
	size_t n = wait_places_beside(s->run, r->process, r->thread, r->inner, r->site, sites, REPORT_OTHERS);

	for (size_t i = 0; i < n; i++) {
		struct report_wait other = {0};

		place_wait(s, &other, run_call_site(r->process, sites[i]));
		add_other(w, &(struct report_place){other.function, other.file, other.line});
	}
}

static struct keyed_wait name_wait(struct report_summary *s, const struct wait_places *places,
				   const struct wait_row *r)
{
	const struct run_call_site *site = run_call_site(r->process, r->site);
	struct keyed_wait k = {.wait = {.kind = r->kind,
					.who = r->who,
					.count = r->count,
					.ns = r->ns,
					.max_ns = r->max_ns,
					.open = r->open,
					.outside = is_outside(r->kind) && !r->whom},
			       .whom = {.name = r->whom, .count = r->count, .ns = r->ns},
			       .thread = wait_thread_line(s, r->process, r->thread),
			       .row = r,
			       .object = r->object};
	struct strbuf key = STRBUF_INIT;

	if (r->callee)
		k.wait.object = pretty_name(s, r->callee);
	else
		k.wait.object = wait_object_name(s, r->process, r->kind, r->object, r->fd);
	if (r->kind == PRS_EV_COND && r->pair)
		k.wait.pair = wait_object_name(s, r->process, PRS_EV_MUTEX, r->pair, -1);
	place_wait(s, &k.wait, site);
	place_others(s, &k.wait, r);
	if (r->whom)
		wait_places_whom(places, s, r, &k.whom);
	wait_key(&key, &k.wait, r->whom, site);
	k.key = strbuf_detach(&key);
	return k;
}

/* ---- one of many -------------------------------------------------------------------- */

static bool waits_same_place(const struct report_whom *a, const struct report_whom *b)
{
	return a->name == b->name && a->file == b->file && a->line == b->line;
}

/* Threads of one name at one place are one. */
static void add_whom(struct report_wait *w, const struct report_whom *more)
{
	if (!more->name)
		return;
	for (size_t i = 0; i < w->n_whoms; i++)
		if (waits_same_place(&w->whoms[i], more)) {
			w->whoms[i].count += more->count;
			w->whoms[i].ns += more->ns;
			return;
		}
	if (w->n_whoms == WHOMS_MAX)
		return;
	w->whoms = mem_resize(w->whoms, w->n_whoms + 1, sizeof(*w->whoms));
	w->whoms[w->n_whoms] = *more;
	w->whoms[w->n_whoms].holds = w->whoms[w->n_whoms].taken = 0;
	w->whoms[w->n_whoms++].hold_ns = 0;
}

/* What is counted once however many rows name it. */
struct group {
	const struct report_thread **threads;
	uint64_t *objects;
	const struct keyed_wait **holders; /* rows that know whom they wait for */
	size_t n_threads, n_objects, n_holders;
};

static void add_to_group(struct report_wait *w, struct group *g, const struct keyed_wait *k)
{
	if (k->thread)
		g->threads[g->n_threads++] = k->thread;
	if (!k->wait.object)
		g->objects[g->n_objects++] = k->object;
	w->taken += k->wait.taken;
	if (k->wait.max_ns > w->max_ns)
		w->max_ns = k->wait.max_ns;
	w->outside &= k->wait.outside;
	for (size_t i = 0; i < k->wait.n_others; i++)
		add_other(w, &k->wait.others[i]);
	if (k->whom.name)
		g->holders[g->n_holders++] = k;
	add_whom(w, &k->whom);
}

static int waits_by_line(const void *a, const void *b)
{
	const struct report_thread *x = *(const struct report_thread *const *)a,
				   *y = *(const struct report_thread *const *)b;

	return (x > y) - (x < y);
}

static int waits_by_object(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_holder(const void *a, const void *b)
{
	const struct wait_row *x = (*(const struct keyed_wait *const *)a)->row,
			      *y = (*(const struct keyed_wait *const *)b)->row;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->other > y->other) - (x->other < y->other);
}

/* What a thread held at an object is its own, however many rows waited for it. */
static void add_holds(struct report_wait *w, struct group *g)
{
	qsort(g->holders, g->n_holders, sizeof(*g->holders), by_holder);
	for (size_t i = 0; i < g->n_holders; i++) {
		const struct report_whom *held = &g->holders[i]->whom;

		if (i && !by_holder(&g->holders[i - 1], &g->holders[i]))
			continue;
		for (size_t k = 0; k < w->n_whoms; k++) {
			if (!waits_same_place(&w->whoms[k], held))
				continue;
			w->whoms[k].holds += held->holds;
			w->whoms[k].taken += held->taken;
			w->whoms[k].hold_ns += held->hold_ns;
		}
	}
}

/* All rows of @w have been seen. */
static void end_group(struct report_wait *w, struct group *g)
{
	qsort(g->threads, g->n_threads, sizeof(*g->threads), waits_by_line);
	for (size_t i = 0; i < g->n_threads; i++) {
		if (i && g->threads[i] == g->threads[i - 1])
			continue;
		w->threads++;
		w->life_ns += g->threads[i]->life_ns;
	}
	qsort(g->objects, g->n_objects, sizeof(*g->objects), waits_by_object);
	for (size_t i = 0; i < g->n_objects; i++)
		w->objects += !i || g->objects[i] != g->objects[i - 1];
	add_holds(w, g);
	g->n_threads = g->n_objects = g->n_holders = 0;
}

/* Joins, and threads that wait for the world outside, hold nobody up: they go last. */
bool report_wait_idle(const struct report_wait *w)
{
	return w->kind == PRS_EV_JOIN || w->outside;
}

/* By object: what all threads together wait at longest comes first. */
static void sum_objects(struct report_summary *s)
{
	for (size_t i = 0; i < s->n_waits; i++) {
		struct report_wait *w = &s->waits[i];

		w->object_ns = w->ns;
		for (size_t k = 0; w->object && k < s->n_waits; k++)
			if (k != i && s->waits[k].kind == w->kind && s->waits[k].object == w->object)
				w->object_ns += s->waits[k].ns;
	}
}

static int waits_by_time(const void *a, const void *b)
{
	const struct report_wait *x = a, *y = b;

	if (report_wait_idle(x) != report_wait_idle(y))
		return report_wait_idle(x) - report_wait_idle(y);
	if (x->object_ns != y->object_ns)
		return x->object_ns > y->object_ns ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return strcmp(x->id, y->id);
}

static int whom_by_time(const void *a, const void *b)
{
	const struct report_whom *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The one name that stands for all, if it is behind at least half of the time. */
static void choose_whom(struct report_wait *w)
{
	double ns = 0;

	if (!w->n_whoms)
		return;
	qsort(w->whoms, w->n_whoms, sizeof(*w->whoms), whom_by_time);
	for (size_t i = 0; i < w->n_whoms; i++)
		if (w->whoms[i].name == w->whoms[0].name)
			ns += w->whoms[i].ns;
	if (2 * ns >= w->ns)
		w->whom = w->whoms[0].name;
}

static bool id_taken(const struct report_summary *s, const char *id)
{
	for (size_t i = 0; i < s->n_waits; i++)
		if (!strcmp(s->waits[i].id, id))
			return true;
	return false;
}

static struct report_wait *begin_wait(struct report_summary *s, const struct keyed_wait *k)
{
	struct report_wait *w = &s->waits[s->n_waits];
	unsigned step = 0;

	*w = k->wait;
	w->taken = 0;
	place_from(s, w, k->row);
	do
		evidence_id(w->id, sizeof(w->id), "wait", k->key, step);
	while (id_taken(s, w->id) && step++ < 1000);
	s->n_waits++;
	return w;
}

/* Equal keys become one wait; ids are given in the order of the keys. */
static void merge_waits(struct report_summary *s, struct keyed_list *list)
{
	struct group g = {.threads = mem_new(list->n + 1, sizeof(struct report_thread *)),
			  .objects = mem_new(list->n + 1, sizeof(uint64_t)),
			  .holders = mem_new(list->n + 1, sizeof(struct keyed_wait *))};
	struct report_wait *w = NULL;

	s->waits = mem_new(list->n + 1, sizeof(*s->waits));
	for (size_t i = 0; i < list->n; i++) {
		const struct keyed_wait *k = &list->at[i];

		if (!w || by_finding(&k[-1], k)) {
			if (w)
				end_group(w, &g);
			w = begin_wait(s, k);
		} else {
			w->count += k->wait.count;
			w->ns += k->wait.ns;
			w->open += k->wait.open;
		}
		add_to_group(w, &g, k);
	}
	if (w)
		end_group(w, &g);
	free(g.threads);
	free(g.objects);
	free(g.holders);
	for (size_t i = 0; i < s->n_waits; i++)
		choose_whom(&s->waits[i]);
}

static void name_waits(struct report_summary *s, struct wait_places *places, const struct wait_list *rows)
{
	struct keyed_list list = VEC_INIT;

	for (size_t i = 0; i < rows->n; i++) {
		vec_push(&list, name_wait(s, places, &rows->at[i]));
		/* Rows that differ in the other thread alone share what was taken. */
		list.at[i].wait.taken = wait_places_taken(places, &rows->at[i]);
	}
	for (size_t i = 0; i < rows->n; i++)
		list.at[i].wait.taken += wait_places_others(places, s, &rows->at[i], list.at[i].wait.who);
	if (list.n)
		qsort(list.at, list.n, sizeof(*list.at), waits_by_key);
	merge_waits(s, &list);
	sum_objects(s);
	if (s->n_waits)
		qsort(s->waits, s->n_waits, sizeof(*s->waits), waits_by_time);
	for (size_t i = 0; i < list.n; i++)
		free(list.at[i].key);
	vec_release(&list);
}

void collect_waits(struct report_summary *s, struct wait_list *rows)
{
	struct wait_places *places = wait_places_make(s);

	s->object_names = mem_new(s->run->n_processes + 1, sizeof(*s->object_names));
	for (size_t i = 0; i < s->run->n_processes; i++)
		s->object_names[i] = object_names_make(s->run, &s->run->processes[i]);
	for (size_t i = 0; i < s->run->n_processes; i++) {
		const struct run_process *p = &s->run->processes[i];

		s->n_blind += p->header->minor && !(p->header->seen & PRS_SEEN_WAITS);
		for (uint32_t k = 0; k < p->n_threads; k++)
			thread_waits(s, p, k, places, rows);
	}
	fold_waits(rows);
	name_waits(s, places, rows);
	collect_queues(s, rows);
	collect_locks(s);
	wait_places_free(places);
}

void release_waits(struct report_summary *s)
{
	for (size_t i = 0; i < s->n_waits; i++)
		free(s->waits[i].whoms);
	for (size_t i = 0; s->object_names && i < s->run->n_processes; i++)
		object_names_free(s->object_names[i]);
	free(s->object_names);
	free(s->waits);
	free(s->locks);
	free(s->queues);
}
