/* SPDX-License-Identifier: MIT */
#include "analyzer/time/asleep.h"

#include <stdlib.h>

#include "lib/num.h"
#include "lib/vec.h"

/* Less than this part of the run is not worth a word. */
#define WORTH_SAYING 0.05

/* Does the event last as long as a timer, or somebody outside of the program, wants? */
static bool is_outside(const struct prs_event *e)
{
	switch (e->kind) {
	case PRS_EV_SLEEP:
	case PRS_EV_WAITPID:
	case PRS_EV_ACCEPT:
	case PRS_EV_CONNECT:
	case PRS_EV_SIGWAIT:
		return true;
	case PRS_EV_POLL:
		return !e->object; /* nothing was ready: the time was up */
	default:
		return false;
	}
}

/* From here on @by more threads can work, and @sleeps more are in a call that lasts as others want. */
struct edge {
	uint64_t tick;
	int by, sleeps, starts;
	bool other;
};
struct edge_list VEC(struct edge);

static int by_tick(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return (x->tick > y->tick) - (x->tick < y->tick);
}

/* The life of a thread less its waits; a wait inside of another counts once. */
static void asleep_add_thread(struct edge_list *edges, const struct run_process *p,
			      const struct run_thread *t)
{
	uint64_t start = t->raw->start_tsc, end = t->raw->end_tsc ? t->raw->end_tsc : p->end;
	uint64_t reached = start;

	if (!start || end <= start)
		return;
	vec_push(edges, ((struct edge){start, 1, 0, 0, false}));
	vec_push(edges, ((struct edge){end, -1, 0, 0, false}));
	for (size_t i = 0; i < t->n_events; i++) { /* in order of end */
		const struct prs_event *e = &t->events[i];
		uint64_t a = e->begin > reached ? e->begin : reached, b = e->end < end ? e->end : end;
		bool out = is_outside(e), other = out && e->kind != PRS_EV_SLEEP && e->kind != PRS_EV_POLL;

		if (!run_is_wait(e->kind) || a >= b)
			continue;
		vec_push(edges, ((struct edge){a, -1, out, out && a == e->begin, other}));
		vec_push(edges, ((struct edge){b, 1, -out, 0, false}));
		reached = b;
	}
}

/* Waits that are too short to have an event of their own, or have not ended, count as work: at least so much. */
struct asleep asleep_find(const struct run_process *p)
{
	struct edge_list edges = VEC_INIT;
	struct asleep all = {0};
	int able = 0, sleeping = 0;
	uint64_t calls = 0;

	for (size_t t = 0; t < p->n_threads; t++)
		asleep_add_thread(&edges, p, &p->threads[t]);
	if (edges.n)
		qsort(edges.at, edges.n, sizeof(*edges.at), by_tick);
	for (size_t i = 0; i < edges.n; i++) {
		const struct edge *e = &edges.at[i];

		if (i && !able && sleeping) {
			all.ns += (double)(e->tick - edges.at[i - 1].tick) * p->ns_per_tick;
			all.calls += e->tick > edges.at[i - 1].tick ? calls : 0;
			calls = e->tick > edges.at[i - 1].tick ? 0 : calls;
		}
		able += e->by;
		sleeping += e->sleeps;
		calls += (uint64_t)e->starts;
		all.other |= e->other;
	}
	vec_release(&edges);
	return all;
}

void asleep_say(const struct run_process *p, struct notes *notes)
{
	struct asleep all = asleep_find(p);
	double run = (double)run_span_ns(p, p->end - p->header->tsc_start);
	char time[32];

	if (all.ns <= WORTH_SAYING * run)
		return;
	notes_add(notes,
		  "threads slept%s %s in %llu call%s while nobody worked, %.0f %% of the run: not in the "
		  "model; "
		  "times, deadlines and idle energy are without it",
		  all.other ? " or waited for what is outside of the program," : "",
		  num_time(time, sizeof(time), all.ns / 1e9), (unsigned long long)all.calls,
		  all.calls == 1 ? "" : "s", 100 * all.ns / run);
}
