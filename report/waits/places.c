/* SPDX-License-Identifier: MIT */
/*
 * Places of waits.  The record says from which address a thread waited and
 * which timed call it was in; when the waiting call itself was not timed that
 * time, the call is one further out.  Other entries from the same address
 * know better.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/search.h"
#include "report/waits/parts.h"

/* What one thread took, or whom it signalled, from one place. */
struct taken {
	const struct run_process *process;
	uint64_t object, caller;
	uint32_t kind, thread;
	const struct prs_wait *wait;
	bool counted; /* in what some row says */
};

#define HOPS_MAX 16 /* from a place in the headers of a library to the program */

struct caller {
	const struct run_process *process;
	uint64_t address;
	uint32_t site;
};

struct wait_places {
	struct taken *taken; /* by process, object, kind, thread, caller */
	size_t n_taken;
	struct caller *callers; /* by process, address */
	size_t n_callers;
};

#define ORDER(x, y)                                                                                          \
	do {                                                                                                 \
		if ((x) != (y))                                                                              \
			return (x) < (y) ? -1 : 1;                                                           \
	} while (0)

static int places_by_object(const void *a, const void *b)
{
	const struct taken *x = a, *y = b;

	ORDER(x->process, y->process);
	ORDER(x->object, y->object);
	ORDER(x->kind, y->kind);
	ORDER(x->thread, y->thread);
	ORDER(x->caller, y->caller);
	return 0;
}

static int places_by_address(const void *a, const void *b)
{
	const struct caller *x = a, *y = b;

	ORDER(x->process, y->process);
	ORDER(x->address, y->address);
	ORDER(x->site, y->site);
	return 0;
}

/* True if @site is a call that waits, and not one round it. */
static bool waits_itself(const struct run_process *p, uint32_t site)
{
	const struct run_call_site *s = run_call_site(p, site);

	return s && (run_has_flag(s->flags, PRS_CF_WAIT) || !strncmp(s->callee, "pthread_", 8) ||
		     !strncmp(s->callee, "sem_", 4) || !strncmp(s->callee, "GOMP_", 5));
}

static void places_add(struct wait_places *places, const struct run_process *p, uint32_t thread,
		       const struct prs_wait *w)
{
	if (w->flags & PRS_WAIT_TAKEN)
		places->taken[places->n_taken++] =
			(struct taken){p, w->object, w->caller, w->kind, thread, w, false};
	if (w->caller && waits_itself(p, w->site))
		places->callers[places->n_callers++] = (struct caller){p, w->caller, w->site};
}

struct wait_places *wait_places_make(const struct report_summary *s)
{
	struct wait_places *places = mem_new(1, sizeof(*places));
	size_t n = 1;

	for (size_t i = 0; i < s->run->n_processes; i++)
		for (size_t k = 0; k < s->run->processes[i].n_threads; k++)
			n += s->run->processes[i].threads[k].n_waits;
	places->taken = mem_new(n, sizeof(*places->taken));
	places->callers = mem_new(n, sizeof(*places->callers));
	for (size_t i = 0; i < s->run->n_processes; i++) {
		const struct run_process *p = &s->run->processes[i];

		for (size_t k = 0; k < p->n_threads; k++)
			for (size_t w = 0; w < p->threads[k].n_waits; w++)
				places_add(places, p, (uint32_t)k, &p->threads[k].waits[w]);
	}
	qsort(places->taken, places->n_taken, sizeof(*places->taken), places_by_object);
	qsort(places->callers, places->n_callers, sizeof(*places->callers), places_by_address);
	return places;
}

void wait_places_free(struct wait_places *places)
{
	free(places->taken);
	free(places->callers);
	free(places);
}

uint32_t wait_places_site(const struct wait_places *places, const struct run_process *p, uint64_t caller,
			  uint32_t site)
{
	const struct caller key = {p, caller, 0};
	size_t lo;

	if (!caller || waits_itself(p, site))
		return site;
	lo = search_first(places->n_callers, i, places_by_address(&places->callers[i], &key) < 0);
	if (lo == places->n_callers || places->callers[lo].process != p ||
	    places->callers[lo].address != caller)
		return site;
	return places->callers[lo].site;
}

/* True if people would not look there: a header of the system whose function was not inlined. */
static bool in_library(const struct run *run, const struct run_call_site *site)
{
	struct run_place place;

	run_site_place(run, site, &place);
	return !strncmp(place.file, "/usr/", 5);
}

uint32_t wait_places_round(const struct run_process *p, uint32_t thread, uint32_t site)
{
	const struct run_thread *t = &p->threads[thread];
	const struct rec_call *best = NULL;

	for (size_t i = 0; i < t->n_calls; i++) {
		const struct rec_call *c = t->calls[i];

		if (c->site == site && (!best || c->sum > best->sum))
			best = c;
	}
	if (!best)
		return PRS_NO_SITE;
	return best->up ? best->up->site : best->parent;
}

/* @site, or the nearest one out of the system's headers on the way out of @call (NULL: the usual way). */
static uint32_t way_out(const struct run *run, const struct run_process *p, uint32_t thread, uint32_t site,
			const struct rec_call *call)
{
	uint32_t at = site;

	for (int hops = 0; hops < HOPS_MAX; hops++) {
		const struct run_call_site *s = run_call_site(p, at);

		if (!s)
			return site;
		if (!in_library(run, s))
			return at;
		if (call)
			at = call->up ? call->up->site : call->parent;
		else
			at = wait_places_round(p, thread, at);
		call = call ? call->up : NULL;
	}
	return site;
}

uint32_t wait_places_outside(const struct run *run, const struct run_process *p, uint32_t thread,
			     uint32_t site, const struct prs_wait *w)
{
	return way_out(run, p, thread, site,
		       w && w->site == site ? run_wait_call(&p->threads[thread], w) : NULL);
}

static bool is_among(const uint32_t *sites, size_t n, uint32_t site)
{
	for (size_t i = 0; i < n; i++)
		if (sites[i] == site)
			return true;
	return false;
}

size_t wait_places_beside(const struct run *run, const struct run_process *p, uint32_t thread, uint32_t site,
			  uint32_t shown, uint32_t *out, size_t max)
{
	const struct run_thread *t = &p->threads[thread];
	size_t n = 0;

	for (size_t i = 0; site != shown && i < t->n_calls && n < max; i++) {
		uint32_t at;

		if (t->calls[i]->site != site)
			continue;
		at = way_out(run, p, thread, site, t->calls[i]);
		if (at != site && at != shown && !is_among(out, n, at))
			out[n++] = at;
	}
	return n;
}

/* The first entry at or behind @key. */
static size_t first_taken(const struct wait_places *places, const struct taken *key)
{
	return search_first(places->n_taken, i, places_by_object(&places->taken[i], key) < 0);
}

const struct prs_wait *wait_places_better(const struct wait_places *places, const struct run_process *p,
					  uint32_t thread, uint32_t site, const struct prs_wait *w)
{
	const struct taken key = {p, w->object, w->caller, w->kind, thread, NULL, false};
	size_t i;

	if (w->site == site && run_wait_call(&p->threads[thread], w))
		return w;
	i = first_taken(places, &key);
	return i < places->n_taken && !places_by_object(&places->taken[i], &key) ? places->taken[i].wait : w;
}

uint64_t wait_places_taken(struct wait_places *places, const struct wait_row *row)
{
	const struct taken key = {.process = row->process,
				  .object = row->object,
				  .kind = row->kind,
				  .thread = row->thread,
				  .caller = row->caller};
	size_t i = first_taken(places, &key);

	if (i == places->n_taken || places_by_object(&places->taken[i], &key) || places->taken[i].counted)
		return 0;
	places->taken[i].counted = true;
	return places->taken[i].wait->count;
}

uint64_t wait_places_others(struct wait_places *places, const struct report_summary *s,
			    const struct wait_row *row, const char *who)
{
	const struct taken key = {.process = row->process, .object = row->object, .kind = row->kind};
	uint64_t sum = 0;

	for (size_t i = first_taken(places, &key); i < places->n_taken; i++) {
		struct taken *t = &places->taken[i];
		const struct report_thread *line;

		if (t->process != key.process || t->object != key.object || t->kind != key.kind)
			break;
		line = wait_thread_line(s, t->process, t->thread);
		if (t->counted || t->caller != row->caller || !line || strcmp(line->name, who) != 0)
			continue;
		t->counted = true;
		sum += t->wait->count;
	}
	return sum;
}

/* What the one who is waited for does with the object: the kind of its entries, 0: leaves none. */
static uint32_t other_side(uint32_t kind)
{
	switch (kind) {
	case PRS_EV_MUTEX:
	case PRS_EV_RWLOCK:
	case PRS_EV_SPIN:
		return kind;
	case PRS_EV_COND:
		return PRS_EV_SIGNAL_COND;
	case PRS_EV_SEM:
		return PRS_EV_POST;
	case PRS_EV_FUTEX:
		return PRS_EV_WAKE;
	default:
		return 0;
	}
}

/* A lock keeps others waiting where it is held longest in all, a signal comes from where most come from. */
static double weight(const struct prs_wait *w)
{
	if (w->timed)
		return (double)w->ticks / (double)w->timed * (double)w->count;
	return (double)w->count;
}

void wait_places_whom(const struct wait_places *places, struct report_summary *s, const struct wait_row *row,
		      struct report_whom *whom)
{
	const struct taken key = {.process = row->process,
				  .object = row->object,
				  .kind = other_side(row->kind),
				  .thread = row->other};
	const struct run_call_site *site;
	const struct taken *best = NULL;
	struct run_place place;
	double ns = 0;
	uint32_t at;

	for (size_t i = first_taken(places, &key); key.kind && i < places->n_taken; i++) {
		const struct taken *t = &places->taken[i];

		if (t->process != key.process || t->object != key.object || t->kind != key.kind ||
		    t->thread != key.thread)
			break;
		if (t->wait->timed) {
			whom->holds += hold_times(key.process, t->wait, &ns);
			whom->hold_ns += ns;
		}
		whom->taken += t->wait->count;
		if (!best || weight(t->wait) > weight(best->wait))
			best = t;
	}
	if (!best)
		return;
	at = wait_places_site(places, row->process, best->caller, best->wait->site);
	site = run_call_site(row->process,
			     wait_places_outside(s->run, row->process, row->other, at, best->wait));
	if (!site)
		return;
	run_site_place(s->run, site, &place);
	whom->function = pretty_name(s, summary_name(s, place.function));
	if (strcmp(place.file, "-")) {
		whom->file = place.file;
		whom->line = place.line;
	}
}
