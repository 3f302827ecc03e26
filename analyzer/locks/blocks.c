/* SPDX-License-Identifier: MIT */
#include "analyzer/locks/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/locks/locks.h"
#include "lib/search.h"
#include "lib/vec.h"
#include "record/blocks/blocks.h"

/* More different (barrier, threads) than this are left out; locks are numbered from here. */
#define OBJECTS_MAX 1024u

/* A visit of a barrier. */
struct visit {
	const struct prs_event *ev;
	uint32_t thread;
	uint32_t interval; /* that it lies in */
	uint32_t object;   /* TURNED_AWAY: it is no visit that blocks can show */
	uint32_t parties;
};
struct vec_visit VEC(struct visit);

#define TURNED_AWAY UINT32_MAX

/*
 * A barrier as a block file has it: who meets there is always the same, so
 * that counting is enough.  The threads are those of a visit's release.
 */
struct meeting {
	uint64_t object;
	uint32_t *threads; /* ascending */
	uint32_t n;
};
struct vec_meeting VEC(struct meeting);

struct maker {
	const struct timeline *tl;
	const struct bounds *b;
	const struct model *model;
	uint32_t *thread_of;     /* thread of the process that is an instance, INSTANCE_NONE */
	struct vec_visit visits; /* by thread, then in order of end */
	uint32_t *visit_at;      /* of thread i: [visit_at[i], visit_at[i + 1]) */
	struct vec_meeting meetings;
	struct holds holds;
	struct blocks_writer w;
};

/* ---- barriers inside of phases ---- */

static bool is_boundary(const struct bounds *b, uint32_t interval, const struct prs_event *ev,
			uint32_t thread)
{
	return bound_event(&b->at[interval], thread) == ev ||
	       (interval + 1 < b->n && bound_event(&b->at[interval + 1], thread) == ev);
}

/* The interval in which @thread goes on after @ev. */
static uint32_t interval_of(const struct bounds *b, uint32_t thread, const struct prs_event *ev)
{
	size_t lo = 0, hi = b->n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (bound_tick(&b->at[mid], thread) <= ev->end)
			lo = mid;
		else
			hi = mid;
	}
	return (uint32_t)lo;
}

static void gather_visits(struct maker *k)
{
	const struct run_process *p = k->tl->p;

	k->visit_at = mem_new(p->n_threads + 1, sizeof(*k->visit_at));
	for (uint32_t i = 0; i < p->n_threads; i++) {
		uint32_t latest = 0; /* a thread never goes back to an earlier interval */

		for (size_t e = 0; e < p->threads[i].n_events; e++) {
			const struct prs_event *ev = &p->threads[i].events[e];
			struct visit v = {ev, i, 0, TURNED_AWAY, 0};

			if (ev->kind != PRS_EV_BARRIER)
				continue;
			v.interval = interval_of(k->b, i, ev);
			v.interval = latest = v.interval > latest ? v.interval : latest;
			vec_push(&k->visits, v);
		}
		k->visit_at[i + 1] = (uint32_t)k->visits.n;
	}
}

static int by_object_and_arrival(const void *a, const void *b)
{
	const struct visit *x = *(const struct visit *const *)a, *y = *(const struct visit *const *)b;

	if (x->ev->object != y->ev->object)
		return x->ev->object < y->ev->object ? -1 : 1;
	if (x->ev->begin != y->ev->begin)
		return x->ev->begin < y->ev->begin ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The number of the meeting of @threads at @object, TURNED_AWAY: there are too many. */
static uint32_t find_meeting(struct maker *k, uint64_t object, const uint32_t *threads, uint32_t n)
{
	struct meeting *m;

	for (uint32_t i = 0; i < k->meetings.n; i++) {
		m = &k->meetings.at[i];
		if (m->object == object && m->n == n && !memcmp(m->threads, threads, n * sizeof(*threads)))
			return i;
	}
	if (k->meetings.n == OBJECTS_MAX)
		return TURNED_AWAY;
	m = vec_add(&k->meetings);
	*m = (struct meeting){object, mem_new(n, sizeof(*threads)), n};
	memcpy(m->threads, threads, n * sizeof(*threads));
	return (uint32_t)k->meetings.n - 1;
}

/* One release: everybody in one interval, each once, and no boundary. */
static bool blocks_is_inside(const struct maker *k, struct visit *const *v, uint32_t n, uint32_t *threads)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t instance = instance_of(k->tl->ins, k->tl->run_number, v[i]->thread);

		threads[i] = v[i]->thread;
		if (v[i]->interval != v[0]->interval || instance == INSTANCE_NONE ||
		    k->thread_of[instance] != v[i]->thread ||
		    is_boundary(k->b, v[i]->interval, v[i]->ev, v[i]->thread))
			return false;
	}
	qsort(threads, n, sizeof(*threads), by_number);
	for (uint32_t i = 1; i < n; i++)
		if (threads[i] == threads[i - 1])
			return false;
	return n > 1;
}

/* As in bounds.c: visits belong to one release if all were inside the call at the same time. */
static void find_releases(struct maker *k)
{
	size_t n = k->visits.n;
	struct visit **v = mem_new(n + 1, sizeof(struct visit *));
	uint32_t *threads = mem_new(n + 1, sizeof(*threads));

	for (size_t i = 0; i < n; i++)
		v[i] = &k->visits.at[i];
	qsort(v, n, sizeof(struct visit *), by_object_and_arrival);
	for (size_t from = 0, to; from < n; from = to) {
		uint64_t left = v[from]->ev->end;
		uint32_t object;

		for (to = from + 1;
		     to < n && v[to]->ev->object == v[from]->ev->object && v[to]->ev->begin <= left; to++)
			left = v[to]->ev->end < left ? v[to]->ev->end : left;
		if (!blocks_is_inside(k, v + from, (uint32_t)(to - from), threads))
			continue;
		object = find_meeting(k, v[from]->ev->object, threads, (uint32_t)(to - from));
		for (size_t i = from; i < to; i++) {
			v[i]->object = object;
			v[i]->parties = (uint32_t)(to - from);
		}
	}
	free(threads);
	free(v);
}

/* ---- a thread in an interval ---- */

struct stretch {
	uint64_t from, to;         /* ticks */
	uint64_t cpu_from, cpu_to; /* ns */
};

static struct stretch stretch_of(const struct maker *k, uint32_t interval, uint32_t thread)
{
	const struct bound *from = &k->b->at[interval], *to = interval + 1 < k->b->n ? from + 1 : NULL;
	struct stretch s = {bound_tick(from, thread), to ? bound_tick(to, thread) : UINT64_MAX,
			    bound_cpu(k->tl, from, thread),
			    to ? bound_cpu(k->tl, to, thread) : cpu_at(&k->tl->cpu[thread], UINT64_MAX)};

	s.cpu_to = s.cpu_to > s.cpu_from ? s.cpu_to : s.cpu_from;
	return s;
}

/* The first point of the line behind @tick. */
static size_t point_after(const struct cpu_line *line, uint64_t tick)
{
	return search_first(line->n, i, line->at[i].tick <= tick);
}

/* A thread on its way through an interval. */
struct pass {
	struct stretch s;
	uint64_t done;           /* ns of CPU time */
	const struct hold *hold; /* at hand, or the next one */
	const struct hold *last; /* behind the last one */
	bool holds;
};

static void lock(struct maker *k, struct pass *p, bool give_back)
{
	blocks_write_lock(&k->w, OBJECTS_MAX + p->hold->lock, give_back);
	p->holds = !give_back;
	p->hold += give_back;
}

/* The thread goes on until it has used @ns of CPU time. */
static void write_until(struct maker *k, struct pass *p, uint64_t ns)
{
	ns = ns < p->s.cpu_to ? ns : p->s.cpu_to;
	while (p->done < ns) {
		uint64_t turn = p->hold == p->last ? ns : p->holds ? p->hold->to : p->hold->from;

		if (turn > p->done) {
			blocks_write_block(&k->w, (turn < ns ? turn : ns) - p->done);
			p->done = turn < ns ? turn : ns;
		}
		if (p->hold < p->last && p->done >= turn)
			lock(k, p, p->holds);
	}
}

/* A lock that is held over a barrier or a boundary of phases would hold up those who have to come. */
static void let_go(struct maker *k, struct pass *p)
{
	if (p->holds)
		lock(k, p, true);
}

/* The first visit of @thread that is not before @interval. */
static uint32_t visits_from(const struct maker *k, uint32_t interval, uint32_t thread)
{
	uint32_t lo = k->visit_at[thread], hi = k->visit_at[thread + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (k->visits.at[mid].interval < interval)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Is visit @i one of @thread in @interval? */
static bool is_visit(const struct maker *k, uint32_t i, uint32_t interval, uint32_t thread)
{
	return i < k->visit_at[thread + 1] && k->visits.at[i].interval == interval;
}

static void write_stretch(struct maker *k, uint32_t interval, uint32_t thread)
{
	struct pass p = {.s = stretch_of(k, interval, thread)};
	const struct hold_row *row = &k->holds.of[thread];
	const struct cpu_line *line = &k->tl->cpu[thread];
	size_t at = point_after(line, p.s.from);

	p.done = p.s.cpu_from;
	p.hold = row->n ? hold_from(row, p.done) : NULL;
	p.last = row->n ? row->at + row->n : NULL;
	for (uint32_t i = visits_from(k, interval, thread); is_visit(k, i, interval, thread); i++) {
		const struct visit *v = &k->visits.at[i];

		if (v->object == TURNED_AWAY)
			continue;
		for (; at < line->n && line->at[at].tick <= v->ev->begin; at++)
			write_until(k, &p, line->at[at].ns);
		write_until(k, &p, cpu_at(line, v->ev->begin));
		let_go(k, &p);
		blocks_write_barrier(&k->w, v->object, v->parties);
	}
	for (; at < line->n && line->at[at].tick < p.s.to; at++)
		write_until(k, &p, line->at[at].ns);
	write_until(k, &p, p.s.cpu_to);
	let_go(k, &p);
}

static bool takes_part(const struct maker *k, uint32_t interval, uint32_t thread)
{
	struct stretch s;

	if (thread == INSTANCE_NONE)
		return false;
	s = stretch_of(k, interval, thread);
	if (s.cpu_to > s.cpu_from)
		return true;
	for (uint32_t i = visits_from(k, interval, thread); is_visit(k, i, interval, thread); i++)
		if (k->visits.at[i].object != TURNED_AWAY)
			return true;
	return false;
}

static void write_interval(struct maker *k, uint32_t interval, uint32_t phase)
{
	const struct model_phase *ph = &k->model->phases[phase];
	uint32_t n = 0;

	for (uint32_t i = 0; i < ph->n_work; i++)
		n += takes_part(k, interval, k->thread_of[ph->work[i].thread]);
	blocks_write_occurrence(&k->w, phase, n);
	for (uint32_t i = 0; i < ph->n_work; i++)
		if (takes_part(k, interval, k->thread_of[ph->work[i].thread])) {
			blocks_write_part(&k->w, i);
			write_stretch(k, interval, k->thread_of[ph->work[i].thread]);
		}
}

void run_blocks(struct strbuf *out, const struct timeline *tl, const struct bounds *b,
		const uint32_t *phase_of, const struct model *model)
{
	struct maker k = {.tl = tl, .b = b, .model = model};

	k.thread_of = instance_threads(tl->ins, tl->run_number, tl->p->n_threads);
	gather_visits(&k);
	find_releases(&k);
	holds_find(&k.holds, tl);
	blocks_write_begin(&k.w, model);
	for (uint32_t i = 0; i < b->n; i++)
		write_interval(&k, i, phase_of[i]);
	blocks_write_end(&k.w, out);
	for (size_t i = 0; i < k.meetings.n; i++)
		free(k.meetings.at[i].threads);
	vec_release(&k.meetings);
	vec_release(&k.visits);
	holds_release(&k.holds);
	free(k.visit_at);
	free(k.thread_of);
}
