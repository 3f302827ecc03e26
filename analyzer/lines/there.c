/* SPDX-License-Identifier: MIT */
#include "analyzer/lines/there.h"

#include "lib/search.h"
#include "perseus/abi.h"

/*
 * A line that thrashes rests for no longer than that, and what its transfers are said to be
 * then holds sleep of threads that sleep as shortly.
 */
#define SHORT_NS 1e6

/* Ticks and calls of waits; of those, ticks of sleep by the clock. */
struct waited {
	double ticks, calls, asleep;
};

/*
 * What the thread waited from @from to @to.  An entry is many waits at one place: they
 * are taken for even from the first to the last.
 */
static struct waited waited(const struct run_thread *t, uint64_t from, uint64_t to)
{
	struct waited sum = {0};

	for (size_t i = 0; i < t->n_waits; i++) {
		const struct prs_wait *w = &t->waits[i];
		uint64_t a = w->first > from ? w->first : from, b = w->last < to ? w->last : to;
		double part, ticks;

		if (w->flags & PRS_WAIT_TAKEN || a >= b)
			continue;
		part = (double)(b - a) / (double)(w->last - w->first);
		/* More than its time: it stands for several kinds at once. */
		ticks = part * (double)w->ticks < (double)(b - a) ? part * (double)w->ticks : (double)(b - a);
		sum.ticks += ticks;
		sum.asleep += w->kind == PRS_EV_SLEEP || w->kind == PRS_EV_POLL ? ticks : 0;
		sum.calls += part * (double)w->count;
	}
	return sum;
}

static double less(double a, double b)
{
	return a > b ? a - b : 0;
}

void there_between(struct there *t, const struct run_process *p, uint32_t thread, uint64_t first,
		   uint64_t last, const struct line_pace *pace)
{
	const struct run_thread *th = &p->threads[thread];
	uint64_t start = th->raw ? th->raw->start_tsc : first, end = th->raw ? th->raw->end_tsc : last;
	double ran = pace->run_ns > 0 ? pace->run_ns : pace->cpu_ns, span;
	struct waited in = waited(th, first, last), life;

	end = end ? end : p->end;
	life = waited(th, start, end);
	if (pace->windows)
		in = life = (struct waited){0};
	span = last > first ? (double)(last - first) : 0;
	t->span = less(span, in.ticks) * p->ns_per_tick;
	t->awake = less(end > start ? (double)(end - start) : span, life.ticks) * p->ns_per_tick;
	t->ran = t->awake < ran ? t->awake : ran;
	t->ns = t->awake > 0 ? t->span * t->ran / t->awake : 0;
	t->lacking = t->span - t->ns;
	t->least = less(t->span, t->awake - t->ran);
	t->outside = less(t->ran, t->ns);
	t->whole = end > start ? (double)(end - start) * p->ns_per_tick : 0;
	t->kept = less(t->awake, ran) + pace->late * life.asleep * p->ns_per_tick;
	t->waits = in.calls;
	t->rested = 0;
	if (span > 0 && in.ticks * p->ns_per_tick < SHORT_NS * in.calls)
		t->rested = in.ticks < span ? in.ticks / span : 1;
}

/* So many passes are rounds of a loop, which are alike. */
#define ROUNDS 16u

static bool opens_stage(const struct prs_event *ev, double ns)
{
	if (ev->kind == PRS_EV_BARRIER)
		return true;
	return (ev->kind == PRS_EV_COND || ev->kind == PRS_EV_SEM || ev->kind == PRS_EV_JOIN) &&
	       ns >= SHORT_NS;
}

/* The first event of @t that ends behind @at; they are in the order of their ends. */
static size_t event_behind(const struct run_thread *t, uint64_t at)
{
	return search_first(t->n_events, i, t->events[i].end <= at);
}

bool there_staged(const struct run_process *p, uint32_t thread, uint64_t first, uint64_t last)
{
	const struct run_thread *t = &p->threads[thread];
	unsigned passes = 0;

	for (size_t i = event_behind(t, first); i < t->n_events && passes < ROUNDS; i++) {
		const struct prs_event *ev = &t->events[i];

		if (ev->end >= last)
			break;
		if (ev->begin > first)
			passes += opens_stage(ev, (double)(ev->end - ev->begin) * p->ns_per_tick);
	}
	return passes && passes < ROUNDS;
}
