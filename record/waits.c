/* SPDX-License-Identifier: MIT */
/*
 * What each thread waited for.  A runtime that sums waits up leaves them in
 * entries of their own; what older ones left as events alone is brought into
 * the same form, so that nobody behind this file has to know.
 */
#include <stdlib.h>
#include <string.h>

#include "record/parts.h"

bool run_is_wait(uint32_t kind)
{
	switch (kind) {
	case PRS_EV_JOIN:
	case PRS_EV_MUTEX:
	case PRS_EV_COND:
	case PRS_EV_BARRIER:
	case PRS_EV_SLEEP:
	case PRS_EV_SEM:
	case PRS_EV_RWLOCK:
	case PRS_EV_POLL:
	case PRS_EV_READ:
	case PRS_EV_WRITE:
	case PRS_EV_SPIN:
	case PRS_EV_WAITPID:
	case PRS_EV_FUTEX:
	case PRS_EV_TEAM:
	case PRS_EV_ACCEPT:
	case PRS_EV_CONNECT:
	case PRS_EV_SIGWAIT:
		return true;
	default:
		return false;
	}
}

const struct rec_call *run_wait_call(const struct run_thread *t, const struct prs_wait *w)
{
	const struct rec_call *c = w->path ? calls_find(t, 64ull * w->path) : NULL;

	return c && c->site == w->site ? c : NULL;
}

void waits_add(struct run_process *p, struct run_thread *t, const struct prs_wait *w)
{
	struct prs_wait *to = &t->waits[t->n_waits];

	*to = *w;
	if (to->site >= p->header->n_calls)
		to->site = PRS_NO_SITE;
	if (to->other >= p->n_threads)
		to->other = PRS_NO_THREAD;
	if (to->flags & ~(PRS_WAIT_TAKEN | PRS_WAIT_OPEN)) {
		process_damage(p, "a wait entry has the flags %x", to->flags);
		return;
	}
	/* An entry that was published and not filled yet. */
	if (to->count || to->flags == PRS_WAIT_OPEN)
		t->n_waits++;
}

/* ---- out of events ------------------------------------------------------------------ */

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

/* Whom the thread @self waited for. */
static uint32_t whom_of(const struct arrival_list *arrivals, const struct prs_event *e, size_t self)
{
	uint32_t whom = PRS_NO_THREAD;

	if (e->kind == PRS_EV_BARRIER)
		whom = last_arrival(arrivals, e);
	else if (e->kind == PRS_EV_JOIN)
		whom = e->other;
	return whom == self ? PRS_NO_THREAD : whom;
}

static void from_events(const struct run_process *p, size_t self, const struct arrival_list *arrivals)
{
	struct run_thread *t = &p->threads[self];

	free(t->waits);
	t->waits = mem_new(t->n_events + 1, sizeof(*t->waits));
	t->n_waits = 0;
	for (size_t i = 0; i < t->n_events; i++) {
		const struct prs_event *e = &t->events[i];

		if (!run_is_wait(e->kind) || e->end == e->begin)
			continue;
		t->waits[t->n_waits++] = (struct prs_wait){.object = e->object,
							   .caller = e->caller,
							   .count = 1,
							   .ticks = e->end - e->begin,
							   .max = e->end - e->begin,
							   .first = e->begin,
							   .last = e->end,
							   .kind = e->kind,
							   .site = e->site,
							   .other = whom_of(arrivals, e, self),
							   .fd = -1};
	}
}

/* ---- the last one ----------------------------------------------------------------------- */

/* True if the thread has done something since: a handler jumped out of the wait. */
static bool left(const struct run_thread *t, const struct prs_wait *w)
{
	if (t->n_log && t->log[t->n_log - 1].end > w->first)
		return true;
	for (size_t i = t->n_events; i-- > 0 && t->events[i].end > w->first;)
		if (t->events[i].kind != PRS_EV_EXIT)
			return true;
	/* The call that waits must be open still, if that is known. */
	if (w->site == PRS_NO_SITE || t->raw->end_tsc)
		return false;
	for (size_t i = 0; i < t->n_open; i++)
		if (t->open[i].site == w->site && t->open[i].start <= w->first)
			return false;
	return true;
}

/* The wait that a thread was in at the end becomes one that ended there. */
static void close_open(const struct run_process *p, struct run_thread *t)
{
	uint64_t end = t->raw->end_tsc ? t->raw->end_tsc : p->end;
	size_t n = 0;

	for (size_t i = 0; i < t->n_waits; i++) {
		struct prs_wait *w = &t->waits[i];

		if (w->flags == PRS_WAIT_OPEN) {
			if (!w->first || w->first >= end || !run_is_wait(w->kind) || left(t, w))
				continue;
			w->count = 1;
			w->ticks = w->max = end - w->first;
			w->last = end;
		}
		t->waits[n++] = *w;
	}
	t->n_waits = n;
}

void run_process_waits(struct run_process *p)
{
	struct arrival_list arrivals = VEC_INIT;
	const bool summed = p->header->minor && p->header->seen & PRS_SEEN_WAITS;

	if (!summed)
		gather_arrivals(p, &arrivals);
	for (size_t i = 0; i < p->n_threads; i++) {
		if (summed)
			close_open(p, &p->threads[i]);
		else
			from_events(p, i, &arrivals);
	}
	vec_release(&arrivals);
}

bool run_is_signal(uint32_t kind)
{
	return kind == PRS_EV_SIGNAL_COND || kind == PRS_EV_POST || kind == PRS_EV_WAKE;
}

bool run_is_lock(uint32_t kind)
{
	return kind == PRS_EV_MUTEX || kind == PRS_EV_RWLOCK || kind == PRS_EV_SPIN;
}
