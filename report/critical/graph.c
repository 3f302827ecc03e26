/* SPDX-License-Identifier: MIT */
/* Who ended which wait, and when. */
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/search.h"
#include "lib/vec.h"
#include "record/run.h"
#include "report/critical/parts.h"
#include "report/waits/waits.h"

struct wait_vec VEC(struct crit_wait);
struct span_vec VEC(struct crit_span);
struct wait_refs VEC(struct crit_wait *);

static double moment(const struct run_process *p, uint64_t ticks)
{
	uint64_t start = p->header->tsc_start;

	return ticks > start ? (double)(ticks - start) * p->ns_per_tick : 0;
}

size_t crit_waits_until(const struct crit_thread *t, double at)
{
	return search_first(t->n_waits, i, t->waits[i].end <= at);
}

static void take_waits(struct crit_thread *t, const struct run_process *p, uint32_t thread)
{
	const struct run_thread *r = &p->threads[thread];
	struct wait_vec list = VEC_INIT;
	double before = t->begin;

	for (size_t i = 0; i < r->n_events; i++) {
		const struct prs_event *e = &r->events[i];
		struct crit_wait w = {.begin = moment(p, e->begin),
				      .end = moment(p, e->end),
				      .thread = thread,
				      .by = PRS_NO_THREAD,
				      .event = e};

		/* One inside another: the outer one ended later and counts. */
		while (list.n && list.at[list.n - 1].begin >= w.begin)
			list.n--;
		before = list.n ? list.at[list.n - 1].end : t->begin;
		w.begin = w.begin < before ? before : w.begin;
		if (run_is_wait(e->kind) && w.end > w.begin && w.end <= t->end)
			vec_push(&list, w);
	}
	t->waits = list.at;
	t->n_waits = list.n;
}

/* ---- long calls ------------------------------------------------------------------------- */

static int outer_first(const void *a, const void *b)
{
	const struct crit_span *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

static void put_span(struct span_vec *out, double begin, double end, const struct run_call_site *site)
{
	if (end > begin)
		vec_push(out, ((struct crit_span){begin, end, site}));
}

/* Calls inside each other become stretches beside each other. */
static void flatten(struct span_vec *calls, struct span_vec *out)
{
	struct span_vec open = VEC_INIT;
	double at = 0;

	if (calls->n)
		qsort(calls->at, calls->n, sizeof(*calls->at), outer_first);
	for (size_t i = 0; i <= calls->n; i++) {
		double next = i < calls->n ? calls->at[i].begin : 1e300;

		while (open.n && open.at[open.n - 1].end <= next) {
			const struct crit_span *in = &open.at[--open.n];

			put_span(out, at, in->end, in->site);
			at = in->end > at ? in->end : at;
		}
		if (i == calls->n)
			break;
		if (open.n)
			put_span(out, at, next, open.at[open.n - 1].site);
		at = next > at ? next : at;
		vec_push(&open, calls->at[i]);
	}
	vec_release(&open);
}

static void take_calls(struct crit_thread *t, const struct run_process *p, uint32_t thread)
{
	const struct run_thread *r = &p->threads[thread];
	struct span_vec calls = VEC_INIT, out = VEC_INIT;

	for (size_t i = 0; i < r->n_log; i++) {
		double end = moment(p, r->log[i].end);

		vec_push(&calls, ((struct crit_span){end - (double)r->log[i].ticks * p->ns_per_tick, end,
						     run_call_site(p, r->log[i].site)}));
	}
	flatten(&calls, &out);
	vec_release(&calls);
	t->spans = out.at;
	t->n_spans = out.n;
}

/* ---- locks ------------------------------------------------------------------------------ */

double crit_mean_hold(const struct run_process *p, uint32_t thread, const struct prs_event *e, double *max)
{
	const struct run_thread *t = &p->threads[thread];
	double ns = 0, sum = 0;
	uint64_t timed = 0;

	*max = 0;
	for (size_t i = 0; i < t->n_waits; i++) {
		const struct prs_wait *w = &t->waits[i];
		double longest = (double)w->max * p->ns_per_tick;

		if (!(w->flags & PRS_WAIT_TAKEN) || w->kind != e->kind || w->object != e->object)
			continue;
		timed += hold_times(p, w, &ns);
		sum += ns;
		*max = longest > *max ? longest : *max;
	}
	return timed ? sum / (double)timed : 0;
}

/* ---- who ended a wait ------------------------------------------------------------------- */

static int graph_by_object(const void *a, const void *b)
{
	const struct crit_wait *x = *(struct crit_wait *const *)a, *y = *(struct crit_wait *const *)b;

	if (x->event->kind != y->event->kind)
		return x->event->kind < y->event->kind ? -1 : 1;
	if (x->event->object != y->event->object)
		return x->event->object < y->event->object ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* A moment in @t at which it ran: inside a wait it is that one's begin. */
static double running(const struct crit_thread *t, double at)
{
	size_t n = crit_waits_until(t, at);

	if (n < t->n_waits && t->waits[n].begin < at)
		at = t->waits[n].begin;
	return at > t->end ? t->end : at;
}

/* When thread @by signalled, posted or woke at the object of @w last before its end; 0: no such event. */
static double signalled(const struct run_process *p, uint32_t by, const struct crit_wait *w)
{
	const struct run_thread *t = &p->threads[by];
	size_t low = search_first(t->n_events, i, t->events[i].end <= w->event->end);

	for (; low && t->events[low - 1].end > w->event->begin; low--)
		if (run_is_signal(t->events[low - 1].kind) && t->events[low - 1].object == w->event->object)
			return moment(p, t->events[low - 1].end);
	return 0;
}

static void set_release(const struct crit_graph *g, struct crit_wait *w, uint32_t by, double at)
{
	if (by >= g->n_threads || by == w->thread)
		return;
	at = running(&g->threads[by], at > w->end ? w->end : at);
	if (at <= w->begin || at < g->threads[by].begin)
		return;
	w->by = by;
	w->release = at;
}

/*
 * When who got the lock at the end of @before let @w have it: at the end of @w; but where there are fewer
 * cores than threads that one goes on much later, and holds that are all alike tell when.
 */
static double let_go(const struct crit_graph *g, const struct crit_wait *before, const struct crit_wait *w)
{
	double max, mean = crit_mean_hold(g->process, before->thread, w->event, &max);
	double at = before->end + mean;

	return mean > 0 && max <= 2 * mean && at < w->end ? at : w->end;
}

/* A lock: who got it last before, and held it then; else who held it when the wait began. */
static void lock_release(const struct crit_graph *g, struct crit_wait *const *order, size_t i)
{
	struct crit_wait *w = order[i];
	const struct crit_wait *before = i && order[i - 1]->event->kind == w->event->kind &&
							 order[i - 1]->event->object == w->event->object
						 ? order[i - 1]
						 : NULL;

	if (before && before->end > w->begin && before->thread != w->thread)
		set_release(g, w, before->thread, let_go(g, before, w));
	if (w->by == PRS_NO_THREAD)
		set_release(g, w, w->event->other, w->end);
}

/* A barrier: who came last of those that left it with @w. */
static void barrier_release(const struct crit_graph *g, struct crit_wait *const *order, size_t n, size_t i)
{
	struct crit_wait *w = order[i];
	const struct crit_wait *last = w;

	for (size_t k = i; k-- && order[k]->event->object == w->event->object &&
			   order[k]->event->kind == w->event->kind && order[k]->end > w->begin;)
		if (order[k]->event->value == w->event->value && order[k]->begin > last->begin)
			last = order[k];
	for (size_t k = i + 1;
	     k < n && order[k]->event->object == w->event->object &&
	     order[k]->event->kind == w->event->kind && order[k]->event->value == w->event->value;
	     k++)
		if (order[k]->begin > last->begin && order[k]->begin < w->end)
			last = order[k];
	set_release(g, w, last->thread, last->begin);
	w->late =
		last == w; /* who comes last waits for nobody, but wakes the others, and may lose its core */
}

static void join_release(const struct crit_graph *g, struct crit_wait *w)
{
	uint32_t by = w->event->other;

	if (by >= g->n_threads)
		return;
	set_release(g, w, by, g->threads[by].end);
	w->late = g->threads[by].end <= w->begin;
}

static void name_waits(struct report_summary *s, const struct run_process *p, struct crit_wait *const *order,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct prs_event *e = order[i]->event;

		if (i && order[i - 1]->event->kind == e->kind && order[i - 1]->event->object == e->object)
			order[i]->name = order[i - 1]->name;
		else
			order[i]->name = crit_wait_name(s, p, e->kind, e->object);
	}
}

static void find_releases(struct crit_graph *g, struct report_summary *s)
{
	struct wait_refs all = VEC_INIT;

	for (size_t i = 0; i < g->n_threads; i++)
		for (size_t k = 0; k < g->threads[i].n_waits; k++)
			vec_push(&all, &g->threads[i].waits[k]);
	if (all.n)
		qsort(all.at, all.n, sizeof(*all.at), graph_by_object);
	name_waits(s, g->process, all.at, all.n);
	for (size_t i = 0; i < all.n; i++) {
		struct crit_wait *w = all.at[i];
		uint32_t by = w->event->other;
		double at;

		if (run_is_lock(w->event->kind)) {
			lock_release(g, all.at, i);
		} else if (w->event->kind == PRS_EV_BARRIER) {
			barrier_release(g, all.at, all.n, i);
		} else if (w->event->kind == PRS_EV_JOIN) {
			join_release(g, w);
		} else if (by < g->n_threads) {
			at = signalled(g->process, by, w);
			set_release(g, w, by, at > 0 ? at : w->end);
		}
	}
	vec_release(&all);
}

/* ---- all of it --------------------------------------------------------------------------- */

static void take_life(struct crit_thread *t, const struct run_process *p, const struct prs_thread *raw)
{
	t->begin = moment(p, raw->start_tsc ? raw->start_tsc : raw->create_tsc);
	t->end = moment(p, raw->end_tsc ? raw->end_tsc : p->end);
	t->created = moment(p, raw->create_tsc);
	t->creator = raw->creator;
	if (!raw->create_tsc || t->created > t->begin || t->creator >= p->n_threads)
		t->creator = PRS_NO_THREAD;
}

void crit_graph_make(struct crit_graph *g, struct report_summary *s, const struct run_process *p)
{
	*g = (struct crit_graph){.process = p, .n_threads = p->n_threads};
	g->threads = mem_new(p->n_threads + 1, sizeof(*g->threads));
	for (uint32_t i = 0; i < p->n_threads; i++) {
		struct crit_thread *t = &g->threads[i];

		take_life(t, p, p->threads[i].raw);
		take_waits(t, p, i);
		take_calls(t, p, i);
		if (t->end > g->threads[g->last].end)
			g->last = i;
	}
	find_releases(g, s);
}

void crit_graph_release(struct crit_graph *g)
{
	for (size_t i = 0; i < g->n_threads; i++) {
		free(g->threads[i].waits);
		free(g->threads[i].spans);
	}
	free(g->threads);
}
