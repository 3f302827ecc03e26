/* SPDX-License-Identifier: MIT */
#include "analyzer/time/bounds.h"

#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"

#define NS_PER_MS      1000000.0
#define LONGEST_GAP_NS 1e18

void timeline_make(struct timeline *tl, const struct run *run, const struct run_process *p,
		   const struct instances *ins, size_t run_number)
{
	*tl = (struct timeline){run, p, ins, run_number, mem_new(p->n_threads + 1, sizeof(*tl->cpu)), -1};
	for (size_t i = 0; i < p->n_threads; i++)
		cpu_line_make(&tl->cpu[i], &p->threads[i], p->end);
}

void timeline_release(struct timeline *tl)
{
	for (size_t i = 0; i < tl->p->n_threads; i++)
		cpu_line_release(&tl->cpu[i]);
	free(tl->cpu);
	tl->cpu = NULL;
}

const char *bound_kind_name(enum bound_kind kind)
{
	static const char *const names[] = {"start", "create", "join", "barrier"};

	return names[kind];
}

const struct prs_event *bound_event(const struct bound *b, uint32_t thread)
{
	for (size_t i = 0; i < b->n_cuts; i++)
		if (b->cuts[i].thread == thread)
			return b->cuts[i].event;
	return NULL;
}

static void release_one(struct bound *b)
{
	free(b->cuts);
	b->cuts = NULL;
	b->n_cuts = 0;
}

void bounds_release(struct bounds *b)
{
	for (size_t i = 0; i < b->n; i++)
		release_one(&b->at[i]);
	vec_release(b);
}

static void add_cut(struct bound *b, uint32_t thread, const struct prs_event *ev)
{
	b->cuts = mem_resize(b->cuts, b->n_cuts + 1, sizeof(*b->cuts));
	b->cuts[b->n_cuts++] = (struct bound_cut){thread, ev};
}

/* Creations and joins of one thread. */
static void add_thread_events(struct bounds *out, const struct timeline *tl, uint32_t i)
{
	const struct run_thread *t = &tl->p->threads[i];

	for (size_t k = 0; k < t->n_events; k++) {
		const struct prs_event *ev = &t->events[k];
		bool create = ev->kind == PRS_EV_CREATE;
		struct bound *b;

		if (!create && !(ev->kind == PRS_EV_JOIN && !ev->value))
			continue;
		if (instance_of(tl->ins, tl->run_number, ev->other) == INSTANCE_NONE)
			continue;
		b = vec_add(out);
		b->tick = create ? ev->begin : ev->end;
		b->kind = create ? BOUND_CREATE : BOUND_JOIN;
		b->thread = i;
		b->site = ev->site;
		add_cut(b, i, ev);
	}
}

/* A barrier visit with its thread, for sorting. */
struct visit {
	const struct prs_event *ev;
	uint32_t thread;
};
struct vec_visit VEC(struct visit);

static int by_object_and_arrival(const void *a, const void *b)
{
	const struct prs_event *x = ((const struct visit *)a)->ev, *y = ((const struct visit *)b)->ev;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static bool takes_part(const struct visit *v, size_t n, uint32_t thread)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].thread == thread)
			return true;
	return false;
}

/* A thread that uses less than 2 % of its time does not work in any phase. */
static bool nearly_idle(const struct timeline *tl, uint32_t i)
{
	const struct prs_thread *t = tl->p->threads[i].raw;
	uint64_t end = t->end_tsc ? t->end_tsc : tl->p->end;

	return end <= t->start_tsc ||
	       (double)cpu_total(&tl->cpu[i]) < 0.02 * (double)run_span_ns(tl->p, end - t->start_tsc);
}

/* Does every live thread pass this barrier, wait elsewhere, or do nothing? */
static bool is_global(const struct timeline *tl, const struct visit *v, size_t n, uint64_t tick)
{
	for (uint32_t i = 0; i < tl->p->n_threads; i++) {
		const struct prs_thread *t = tl->p->threads[i].raw;

		if (t->start_tsc > tick || (t->end_tsc && t->end_tsc <= tick))
			continue;
		if (!takes_part(v, n, i) && !waiting_at(&tl->p->threads[i], tick) && !nearly_idle(tl, i))
			return false;
	}
	return true;
}

static void add_release(struct bounds *out, const struct timeline *tl, const struct visit *v, size_t n)
{
	const struct visit *last = &v[n - 1]; /* sorted by arrival */
	struct bound *b;

	if (n < 2 || !is_global(tl, v, n, last->ev->begin))
		return;
	b = vec_add(out);
	b->tick = last->ev->begin;
	b->kind = BOUND_BARRIER;
	b->thread = last->thread;
	b->site = last->ev->site;
	b->object = last->ev->object;
	for (size_t i = 0; i < n; i++) {
		add_cut(b, v[i].thread, v[i].ev);
		/* Threads may pass from different places: one names the boundary. */
		if (v[i].ev->site < b->site)
			b->site = v[i].ev->site;
	}
}

/*
 * Visits belong to one release if all of them were inside the call at the
 * same time: nobody arrives for the next round before the first has left.
 */
static void add_barriers(struct bounds *out, const struct timeline *tl)
{
	struct vec_visit v = VEC_INIT;

	for (uint32_t i = 0; i < tl->p->n_threads; i++)
		for (size_t k = 0; k < tl->p->threads[i].n_events; k++)
			if (tl->p->threads[i].events[k].kind == PRS_EV_BARRIER)
				vec_push(&v, ((struct visit){&tl->p->threads[i].events[k], i}));
	if (v.n)
		qsort(v.at, v.n, sizeof(*v.at), by_object_and_arrival);
	for (size_t from = 0, to; from < v.n; from = to) {
		uint64_t left = v.at[from].ev->end;

		for (to = from + 1;
		     to < v.n && v.at[to].ev->object == v.at[from].ev->object && v.at[to].ev->begin <= left;
		     to++)
			left = v.at[to].ev->end < left ? v.at[to].ev->end : left;
		add_release(out, tl, &v.at[from], to - from);
	}
	vec_release(&v);
}

static int bounds_by_time(const void *a, const void *b)
{
	const struct bound *x = a, *y = b;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

uint64_t bound_tick(const struct bound *b, uint32_t thread)
{
	const struct prs_event *ev = bound_event(b, thread);

	return ev ? ev->end : b->tick;
}

uint64_t bound_cpu(const struct timeline *tl, const struct bound *b, uint32_t thread)
{
	const struct prs_event *ev = bound_event(b, thread);

	return ev && ev->cpu_ns ? ev->cpu_ns : cpu_at(&tl->cpu[thread], ev ? ev->end : b->tick);
}

/* CPU time of a thread at the end of its event. */
static uint64_t cut_cpu(const struct timeline *tl, const struct bound_cut *c)
{
	return c->event->cpu_ns ? c->event->cpu_ns : cpu_at(&tl->cpu[c->thread], c->event->end);
}

/*
 * A burst: one thread creates (or joins) several, with next to no work of
 * its own in between.  Its CPU time counts, not the clock: on a busy machine
 * it may lose its core between two creations.
 */
static bool same_burst(const struct timeline *tl, const struct bound *a, const struct bound *b)
{
	double limit = 0.01 * (double)run_span_ns(tl->p, tl->p->end - tl->p->header->tsc_start);
	uint64_t x, y;

	if (a->kind != b->kind || a->thread != b->thread || !a->n_cuts || a->kind == BOUND_BARRIER)
		return false;
	x = cut_cpu(tl, &a->cuts[a->n_cuts - 1]);
	y = cut_cpu(tl, &b->cuts[0]);
	return y < x || (double)(y - x) < (limit > NS_PER_MS ? limit : NS_PER_MS);
}

/* A burst of creations stands at its first event, one of joins at its last. */
static void merge_bursts(struct bounds *b, const struct timeline *tl)
{
	bool *goes_on = mem_new(b->n + 1, sizeof(*goes_on));
	size_t n = 0;

	for (size_t i = 1; i < b->n; i++)
		goes_on[i] = same_burst(tl, &b->at[i - 1], &b->at[i]);
	for (size_t i = 0; i < b->n; i++) {
		bool dropped = b->at[i].kind == BOUND_CREATE ? goes_on[i] : goes_on[i + 1];

		if (dropped)
			release_one(&b->at[i]);
		else
			b->at[n++] = b->at[i];
	}
	b->n = n;
	free(goes_on);
}

static int by_source(const void *a, const void *b)
{
	const struct bound *x = *(const struct bound *const *)a, *y = *(const struct bound *const *)b;

	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return x < y ? -1 : x > y; /* in order of time */
}

static bool same_source(const struct bound *a, const struct bound *b)
{
	return a->kind == b->kind && a->site == b->site && a->object == b->object;
}

static void say_dropped(const struct timeline *tl, const struct bound *b, size_t count, double gap_ns,
			struct notes *notes)
{
	const struct run_call_site *s = b->site == PRS_NO_SITE ? NULL : run_call_site(tl->p, b->site);

	notes_add(notes, "%s at %s:%u happens %zu times, every %.2f ms: too often to be a phase boundary",
		  bound_kind_name(b->kind), s ? s->file : "an unknown place", s ? s->line : 0, count,
		  gap_ns / NS_PER_MS);
}

/* Pass over the sources whose events come more often than every @gap_ns. */
static void drop_frequent(struct bounds *b, const struct timeline *tl, double gap_ns, struct notes *notes)
{
	struct bound **sorted = mem_new(b->n + 1, sizeof(struct bound *));
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		sorted[i] = &b->at[i];
	qsort(sorted, b->n, sizeof(struct bound *), by_source);
	for (size_t from = 0, to; from < b->n; from = to) {
		double mean;

		for (to = from + 1; to < b->n && same_source(sorted[from], sorted[to]);)
			to++;
		if (to - from < 4)
			continue;
		mean = (double)run_span_ns(tl->p, sorted[to - 1]->tick - sorted[from]->tick) /
		       (double)(to - from - 1);
		if (mean >= gap_ns)
			continue;
		say_dropped(tl, sorted[from], to - from, mean, notes);
		for (size_t i = from; i < to; i++)
			sorted[i]->thread = INSTANCE_NONE;
	}
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].thread == INSTANCE_NONE)
			release_one(&b->at[i]);
		else
			b->at[n++] = b->at[i];
	b->n = n;
	free(sorted);
}

/* @later opens a phase hardly after @b: one boundary, seen as the later one. */
static void absorb(struct bound *b, struct bound *later)
{
	b->kind = later->kind;
	b->thread = later->thread;
	b->site = later->site;
	b->object = later->object;
	for (size_t i = 0; i < later->n_cuts; i++)
		if (!bound_event(b, later->cuts[i].thread))
			add_cut(b, later->cuts[i].thread, later->cuts[i].event);
	release_one(later);
}

/* CPU time of all threads between two boundaries, ns. */
static double work_between(const struct timeline *tl, const struct bound *a, const struct bound *b)
{
	double sum = 0;

	for (uint32_t i = 0; i < tl->p->n_threads; i++) {
		uint64_t x = bound_cpu(tl, a, i), y = bound_cpu(tl, b, i);

		sum += y > x ? (double)(y - x) : 0;
	}
	return sum;
}

/*
 * Too close to be two boundaries: little time passes, or next to no work is
 * done and the time is what a busy machine takes away.
 */
static bool is_close(const struct timeline *tl, const struct bound *a, const struct bound *b, double gap_ns)
{
	double run = (double)run_span_ns(tl->p, tl->p->end - tl->p->header->tsc_start);
	double wall = (double)run_span_ns(tl->p, b->tick - a->tick);

	return wall < gap_ns || (wall < 0.05 * run && work_between(tl, a, b) < gap_ns);
}

static void merge_close(struct bounds *b, const struct timeline *tl, double gap_ns)
{
	struct bound end = {.tick = tl->p->end};
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (n && is_close(tl, &b->at[n - 1], &b->at[i], gap_ns))
			absorb(&b->at[n - 1], &b->at[i]);
		else
			b->at[n++] = b->at[i];
	/* What the process does in its last instants is no phase. */
	while (n > 1 && (b->at[n - 1].tick >= tl->p->end || is_close(tl, &b->at[n - 1], &end, gap_ns)))
		release_one(&b->at[--n]);
	b->n = n;
}

void bounds_find(struct bounds *b, const struct timeline *tl, struct notes *notes)
{
	double gap = BOUND_GAP_NS;
	struct bound *start;

	*b = (struct bounds)VEC_INIT;
	start = vec_add(b);
	*start = (struct bound){.tick = tl->p->header->tsc_start, .site = PRS_NO_SITE};
	for (uint32_t i = 0; i < tl->p->n_threads; i++)
		add_thread_events(b, tl, i);
	add_barriers(b, tl);
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].tick < tl->p->header->tsc_start)
			b->at[i].tick = tl->p->header->tsc_start;
	qsort(b->at + 1, b->n - 1, sizeof(*b->at), bounds_by_time);
	merge_bursts(b, tl);
	for (drop_frequent(b, tl, gap, notes); b->n > BOUND_MAX && gap < LONGEST_GAP_NS; gap *= 2)
		drop_frequent(b, tl, gap, notes);
	for (merge_close(b, tl, gap = BOUND_GAP_NS); b->n > BOUND_MAX && gap < LONGEST_GAP_NS; gap *= 2)
		merge_close(b, tl, gap);
}
