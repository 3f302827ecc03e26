/* SPDX-License-Identifier: MIT */
#include "analyzer/time/cpu.h"

#include <stdlib.h>

#include "lib/search.h"
#include "lib/vec.h"

struct vec_point VEC(struct cpu_point);

bool event_waits(const struct prs_event *ev)
{
	return run_is_wait(ev->kind);
}

/* Who spins, or is an OpenMP thread without work, waits and uses time. */
static bool rests(const struct prs_event *ev)
{
	return event_waits(ev) && ev->kind != PRS_EV_SPIN && ev->kind != PRS_EV_TEAM;
}

static void cpu_add(struct vec_point *v, uint64_t tick, uint64_t ns)
{
	struct cpu_point p = {tick, ns};

	vec_push(v, p);
}

static int by_tick(const void *a, const void *b)
{
	const struct cpu_point *x = a, *y = b;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

void cpu_line_make(struct cpu_line *line, const struct run_thread *t, uint64_t end)
{
	struct vec_point v = VEC_INIT;
	size_t n = 0;

	cpu_add(&v, t->raw->start_tsc, t->raw->cpu_start_ns);
	for (size_t i = 0; i < t->n_log; i++)
		cpu_add(&v, t->log[i].end, t->log[i].cpu_ns);
	for (size_t i = 0; i < t->n_events; i++) {
		const struct prs_event *ev = &t->events[i];

		if (!ev->cpu_ns)
			continue;
		/* A thread that waits uses no time: the line is flat there. */
		if (rests(ev) && ev->begin < ev->end)
			cpu_add(&v, ev->begin, ev->cpu_ns);
		cpu_add(&v, ev->end, ev->cpu_ns);
	}
	if (t->raw->cpu_end_ns >= t->raw->cpu_start_ns)
		cpu_add(&v, t->raw->end_tsc ? t->raw->end_tsc : end, t->raw->cpu_end_ns);
	qsort(v.at, v.n, sizeof(*v.at), by_tick);
	for (size_t i = 0; i < v.n; i++)
		if (!n || v.at[i].ns >= v.at[n - 1].ns)
			v.at[n++] = v.at[i];
	line->at = v.at;
	line->n = n;
}

uint64_t cpu_at(const struct cpu_line *line, uint64_t tick)
{
	const struct cpu_point *p = line->at;
	size_t lo = 0, hi = line->n;
	double part;

	if (!hi || tick <= p[0].tick)
		return hi ? p[0].ns : 0;
	/* The last point at or before @tick. */
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (p[mid].tick <= tick)
			lo = mid;
		else
			hi = mid;
	}
	if (hi == line->n)
		return p[lo].ns;
	part = (double)(tick - p[lo].tick) / (double)(p[hi].tick - p[lo].tick);
	return p[lo].ns + (uint64_t)(part * (double)(p[hi].ns - p[lo].ns));
}

uint64_t cpu_total(const struct cpu_line *line)
{
	return line->n ? line->at[line->n - 1].ns - line->at[0].ns : 0;
}

void cpu_line_release(struct cpu_line *line)
{
	free(line->at);
	*line = (struct cpu_line){0};
}

/* Index of the first event that ended after @tick. */
static size_t first_after(const struct run_thread *t, uint64_t tick)
{
	return search_first(t->n_events, i, t->events[i].end <= tick);
}

const struct prs_event *waiting_at(const struct run_thread *t, uint64_t tick)
{
	/* Events of one thread do not overlap but for a few nested ones. */
	for (size_t i = first_after(t, tick); i < t->n_events; i++) {
		if (t->events[i].begin > tick)
			return NULL;
		if (event_waits(&t->events[i]))
			return &t->events[i];
	}
	return NULL;
}

uint64_t waited_ticks(const struct run_thread *t, uint64_t from, uint64_t to)
{
	uint64_t sum = 0, reached = from;

	/* In order of end; waits inside waits are counted once. */
	for (size_t i = first_after(t, from); i < t->n_events && t->events[i].begin < to; i++) {
		const struct prs_event *ev = &t->events[i];
		uint64_t a = ev->begin > reached ? ev->begin : reached, b = ev->end < to ? ev->end : to;

		if (event_waits(ev) && a < b) {
			sum += b - a;
			reached = b;
		}
	}
	return sum;
}
