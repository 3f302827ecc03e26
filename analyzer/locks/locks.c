/* SPDX-License-Identifier: MIT */
#include "analyzer/locks/locks.h"

#include <stdlib.h>

#include "lib/search.h"
#include "lib/vec.h"

/* Holds of one thread at one lock; more of them are put together. */
#define HOLDS_MAX 512u

/* Locks in a block file; those held longest go first. */
#define LOCKS_MAX 256u

/* A lock held for less than this share of the run by all threads together holds nobody up. */
#define SHARE_MIN 0.001

/* A thread that has its core for so long without a break is about to lose it, if others want it. */
#define TURN_NS 4e6

/* What one thread did with one lock. */
struct use {
	uint64_t object;
	uint32_t thread;
	uint64_t count;
	uint64_t held;     /* ns */
	uint64_t first;    /* ticks */
	uint64_t all_held; /* by all threads */
	uint32_t site;
};
struct vec_use VEC(struct use);

static int locks_by_object(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Held longest first; the uses of a lock stay together. */
static int by_held(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->all_held != y->all_held)
		return x->all_held > y->all_held ? -1 : 1;
	return locks_by_object(a, b);
}

static bool is_lock(const struct prs_wait *w)
{
	return w->flags & PRS_WAIT_TAKEN && w->object && w->timed && w->count &&
	       (w->kind == PRS_EV_MUTEX || w->kind == PRS_EV_SPIN);
}

/* The part of its time out of waits for which the thread had a core. */
static double on_core(const struct timeline *tl, uint32_t thread)
{
	const struct run_thread *t = &tl->p->threads[thread];
	uint64_t end = t->raw->end_tsc ? t->raw->end_tsc : tl->p->end, waited = 0, life;
	double ns;

	for (size_t i = 0; i < t->n_waits; i++)
		if (!(t->waits[i].flags & PRS_WAIT_TAKEN) && run_is_wait(t->waits[i].kind))
			waited += t->waits[i].ticks;
	life = end > t->raw->start_tsc ? end - t->raw->start_tsc : 0;
	if (waited >= life)
		return 1;
	ns = (double)(life - waited) * tl->p->ns_per_tick;
	return (double)cpu_total(&tl->cpu[thread]) < ns ? (double)cpu_total(&tl->cpu[thread]) / ns : 1;
}

/*
 * Mean length of a hold, ns.  A short one is seldom disturbed: without the
 * longest of several, in which the thread may have lost its core, the clock
 * says what was done.  A long one has lost its core for its share.
 */
static double mean_hold(const struct timeline *tl, uint32_t thread, const struct prs_wait *w)
{
	bool trimmed = w->timed > 2 && w->max <= w->ticks;
	double ticks = (double)(trimmed ? w->ticks - w->max : w->ticks);
	double ns = ticks / (double)(trimmed ? w->timed - 1 : w->timed) * tl->p->ns_per_tick;

	if (ns < TURN_NS)
		return ns;
	return (double)w->ticks / (double)w->timed * tl->p->ns_per_tick * on_core(tl, thread);
}

static void locks_add_use(struct vec_use *uses, const struct timeline *tl, uint32_t thread,
			  const struct prs_wait *w)
{
	double all = mean_hold(tl, thread, w) * (double)w->count;
	struct use u = {w->object, thread, w->count, all < 1e18 ? (uint64_t)all : (uint64_t)1e18,
			w->first,  0,      w->site};

	vec_push(uses, u);
}

/* Places of one thread at one lock make one use. */
static void join_places(struct vec_use *uses)
{
	size_t n = 0;

	for (size_t i = 0; i < uses->n; i++) {
		struct use *u = &uses->at[i], *to = n ? &uses->at[n - 1] : NULL;

		if (to && !locks_by_object(to, u)) {
			to->count += u->count;
			to->held += u->held;
			to->first = u->first < to->first ? u->first : to->first;
		} else {
			uses->at[n++] = *u;
		}
	}
	uses->n = n;
}

/* Keep locks that several threads took and that are held long enough to matter. */
static void keep_wanted(struct vec_use *uses, const struct timeline *tl)
{
	double least = SHARE_MIN * (double)run_span_ns(tl->p, tl->p->end - tl->p->header->tsc_start);
	size_t n = 0;

	for (size_t from = 0, to; from < uses->n; from = to) {
		uint64_t held = 0;

		for (to = from; to < uses->n && uses->at[to].object == uses->at[from].object; to++)
			held += uses->at[to].held;
		if (to - from < 2 || (double)held < least)
			continue;
		for (size_t i = from; i < to; i++) {
			uses->at[n] = uses->at[i];
			uses->at[n++].all_held = held;
		}
	}
	uses->n = n;
}

static void locks_gather(struct vec_use *uses, const struct timeline *tl)
{
	for (uint32_t t = 0; t < tl->p->n_threads; t++)
		for (size_t i = 0; i < tl->p->threads[t].n_waits; i++)
			if (is_lock(&tl->p->threads[t].waits[i]))
				locks_add_use(uses, tl, t, &tl->p->threads[t].waits[i]);
	if (!uses->n)
		return;
	qsort(uses->at, uses->n, sizeof(*uses->at), locks_by_object);
	join_places(uses);
	keep_wanted(uses, tl);
	qsort(uses->at, uses->n, sizeof(*uses->at), by_held);
}

/* Even holds over the CPU time from the first one on: the record does not say when the last was. */
static void locks_spread(struct hold_row *row, const struct timeline *tl, const struct use *u, uint32_t lock)
{
	uint64_t from = cpu_at(&tl->cpu[u->thread], u->first), to = cpu_at(&tl->cpu[u->thread], UINT64_MAX);
	uint64_t n = u->count < HOLDS_MAX ? u->count : HOLDS_MAX, all = to > from ? to - from : 0;
	uint64_t held = u->held < all ? u->held : all;

	for (uint64_t i = 0; i < n && held / n; i++) {
		struct hold h = {.from = from + all / n * i, .lock = lock};

		h.to = h.from + held / n;
		vec_push(row, h);
	}
}

static int locks_by_begin(const void *a, const void *b)
{
	const struct hold *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->lock < y->lock ? -1 : x->lock > y->lock;
}

/* No two at once: holds move back behind those they overlap. */
static void untangle(struct hold_row *row)
{
	if (row->n)
		qsort(row->at, row->n, sizeof(*row->at), locks_by_begin);
	for (size_t i = 1; i < row->n; i++) {
		struct hold *h = &row->at[i];
		uint64_t least = row->at[i - 1].to;

		if (h->from >= least)
			continue;
		h->to += least - h->from;
		h->from = least;
	}
}

const struct hold *hold_from(const struct hold_row *row, uint64_t ns)
{
	size_t lo = search_first(row->n, i, row->at[i].to <= ns);

	return row->at + lo;
}

void holds_find(struct holds *h, const struct timeline *tl)
{
	struct vec_use uses = VEC_INIT;

	*h = (struct holds){.n_threads = tl->p->n_threads};
	h->of = mem_new(h->n_threads + 1, sizeof(*h->of));
	h->locks = mem_new(LOCKS_MAX, sizeof(*h->locks));
	locks_gather(&uses, tl);
	for (size_t i = 0; i < uses.n; i++) {
		if (!i || uses.at[i].object != uses.at[i - 1].object) {
			if (h->n_locks == LOCKS_MAX)
				break;
			h->locks[h->n_locks++] =
				(struct held_lock){uses.at[i].object, uses.at[i].thread, uses.at[i].site};
		}
		locks_spread(&h->of[uses.at[i].thread], tl, &uses.at[i], h->n_locks - 1);
	}
	for (size_t t = 0; t < h->n_threads; t++)
		untangle(&h->of[t]);
	vec_release(&uses);
}

void holds_release(struct holds *h)
{
	for (size_t t = 0; t < h->n_threads; t++)
		vec_release(&h->of[t]);
	free(h->of);
	free(h->locks);
	*h = (struct holds){0};
}
