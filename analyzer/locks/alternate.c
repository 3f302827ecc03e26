/* SPDX-License-Identifier: MIT */
#include "analyzer/locks/alternate.h"

#include <stdlib.h>

#include "lib/vec.h"

/* Fewer waits are a beginning or an end. */
#define WAITS_MIN 8

/* A wait that takes this part of what the other did meanwhile may have been for all of it. */
#define COVERS 0.9

/* From signal to wait it takes at most this part of the work before; a signal takes its time, too. */
#define AT_ONCE 0.25

/* A thread that waits for others for more than this part of its waits does not take turns with one. */
#define ELSEWHERE 0.1

/* More signals than this for a wait, and there is room for several items. */
#define SIGNALS 1.5

/* @who waited for @whom. */
struct hop {
	uint32_t who, whom;
	uint64_t count, ticks, first, last;
	uint64_t signals; /* that @whom made meanwhile; 0: not known */
};
struct vec_hop VEC(struct hop);

static int by_whom(const void *a, const void *b)
{
	const struct hop *x = a, *y = b;

	if (x->who != y->who)
		return x->who < y->who ? -1 : 1;
	return x->whom < y->whom ? -1 : x->whom > y->whom;
}

bool alternate_wait(uint32_t kind)
{
	return kind == PRS_EV_COND || kind == PRS_EV_SEM || kind == PRS_EV_FUTEX || kind == PRS_EV_READ ||
	       kind == PRS_EV_WRITE || kind == PRS_EV_POLL;
}

/* How often @thread signalled @object; 0: that is not known of such objects. */
static uint64_t signals_of(const struct timeline *tl, uint32_t thread, uint64_t object)
{
	const struct run_thread *t = &tl->p->threads[thread];
	uint64_t n = 0;

	for (size_t i = 0; i < t->n_waits; i++)
		if (t->waits[i].flags & PRS_WAIT_TAKEN && t->waits[i].object == object &&
		    run_is_signal(t->waits[i].kind))
			n += t->waits[i].count;
	return n;
}

/* With room between the two most signals find nobody waiting. */
static void add_hop(const struct timeline *tl, uint32_t thread, const struct prs_wait *w,
		    struct vec_hop *hops)
{
	struct hop h = {thread, w->other, w->count, w->ticks, w->first, w->last, 0};

	if (w->flags & PRS_WAIT_TAKEN || !w->count || !alternate_wait(w->kind) ||
	    w->other >= tl->p->n_threads || w->other == thread)
		return;
	h.signals = signals_of(tl, w->other, w->object);
	if (h.signals <= 2 * w->count)
		vec_push(hops, h);
}

/* Who waited for whom, each pair of them once, in order. */
static void gather_hops(const struct timeline *tl, struct vec_hop *hops)
{
	size_t n = 0;

	for (uint32_t t = 0; t < tl->p->n_threads; t++)
		for (size_t i = 0; i < tl->p->threads[t].n_waits; i++)
			add_hop(tl, t, &tl->p->threads[t].waits[i], hops);
	if (hops->n)
		qsort(hops->at, hops->n, sizeof(*hops->at), by_whom);
	for (size_t i = 0; i < hops->n; i++) {
		struct hop *h = &hops->at[i], *to = n ? &hops->at[n - 1] : NULL;

		if (!to || by_whom(to, h)) {
			hops->at[n++] = *h;
			continue;
		}
		to->count += h->count;
		to->ticks += h->ticks;
		to->signals += h->signals;
		to->first = h->first < to->first ? h->first : to->first;
		to->last = h->last > to->last ? h->last : to->last;
	}
	hops->n = n;
}

/* The part of handoffs with a wait: who loses its core to the other one at its signal needs none. */
static double waited_part(const struct hop *h)
{
	return h->signals > h->count ? (double)h->count / (double)h->signals : 1;
}

/* Did the waits of one side take as long as the other one worked meanwhile? */
static bool covers(const struct timeline *tl, const struct hop *h)
{
	const struct cpu_line *line = &tl->cpu[h->whom];
	uint64_t from = cpu_at(line, h->first), to = cpu_at(line, h->last);

	return to > from &&
	       (double)h->ticks * tl->p->ns_per_tick > COVERS * waited_part(h) * (double)(to - from);
}

/*
 * Does @thread wait at once when it has signalled?  From its events, as far as
 * they go: later signals may have none, so each counts for the next wait only.
 */
static bool waits_at_once(const struct run_thread *t)
{
	uint64_t went_on = 0, signalled = 0, work = 0, gap = 0, n = 0;

	for (size_t i = 0; i < t->n_events; i++) {
		const struct prs_event *e = &t->events[i];

		if (run_is_signal(e->kind)) {
			signalled = e->begin;
		} else if (alternate_wait(e->kind)) {
			if (signalled > went_on && went_on) {
				work += signalled - went_on;
				gap += e->begin > signalled ? e->begin - signalled : 0;
				n++;
			}
			signalled = 0;
			went_on = e->end;
		}
	}
	return n >= WAITS_MIN && (double)gap <= AT_ONCE * (double)work;
}

/* Are nearly all waits of that sort for @whom? */
static bool waits_for_one(const struct timeline *tl, uint32_t thread, uint32_t whom)
{
	const struct run_thread *t = &tl->p->threads[thread];
	uint64_t all = 0, other = 0;

	for (size_t i = 0; i < t->n_waits; i++)
		if (!(t->waits[i].flags & PRS_WAIT_TAKEN) && alternate_wait(t->waits[i].kind)) {
			all += t->waits[i].count;
			other += t->waits[i].other != whom ? t->waits[i].count : 0;
		}
	return (double)other <= ELSEWHERE * (double)all;
}

static bool is_strict(const struct timeline *tl, const struct hop *h)
{
	return (double)h->signals <= SIGNALS * (double)h->count && waits_for_one(tl, h->who, h->whom) &&
	       waits_at_once(&tl->p->threads[h->who]);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void alternate_find(struct alternates *turns, const struct timeline *tl)
{
	struct vec_hop hops = VEC_INIT;

	*turns = (struct alternates){0};
	gather_hops(tl, &hops);
	for (size_t i = 0; i < hops.n; i++) {
		const struct hop *a = &hops.at[i], *b;
		struct hop key = {.who = a->whom, .whom = a->who};

		if (a->who > a->whom || a->count < WAITS_MIN)
			continue;
		b = bsearch(&key, hops.at, hops.n, sizeof(*hops.at), by_whom);
		if (!b || b->count < WAITS_MIN || !covers(tl, a) || !covers(tl, b))
			continue;
		vec_push(turns,
			 ((struct alternate){a->who, a->whom, a->count, b->count, least(a->first, b->first),
					     most(a->last, b->last), is_strict(tl, a) && is_strict(tl, b)}));
	}
	vec_release(&hops);
}

void alternate_release(struct alternates *turns)
{
	vec_release(turns);
}

const struct alternate *alternate_of(const struct alternates *turns, uint32_t thread)
{
	for (size_t i = 0; i < turns->n; i++)
		if (turns->at[i].strict && (turns->at[i].a == thread || turns->at[i].b == thread))
			return &turns->at[i];
	return NULL;
}
