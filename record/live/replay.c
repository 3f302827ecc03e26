/* SPDX-License-Identifier: MIT */
#include "record/live/replay.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/search.h"

#define BUSY 0.01 /* of a span: it had a core in it */

struct moment { /* CPU time that a thread had */
	uint64_t at, cpu;
};

struct replay_thread {
	const struct run_process *p;
	const struct run_thread *t;
	struct VEC(struct moment) cpu;
	uint64_t from, to; /* when it was there, ns since the start of the run */
	size_t core;       /* its first look at a core */
	size_t n_cores;
};

/* ns since the start of the run. */
static uint64_t run_time(const struct replay *r, const struct run_process *p, uint64_t ticks)
{
	return p->header->mono_start_ns + run_ns(p, ticks) - r->start_ns;
}

/* ---- opening ------------------------------------------------------------------------------------ */

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void add_moment(struct replay_thread *to, uint64_t at, uint64_t cpu)
{
	struct moment m = {at, cpu};

	if (cpu && at >= to->from && at <= to->to)
		vec_push(&to->cpu, m);
}

static void note_cpu(const struct replay *r, struct replay_thread *to)
{
	const struct run_thread *t = to->t;
	struct moment first = {to->from, t->raw->cpu_start_ns}, last = {to->to, t->raw->cpu_end_ns};
	size_t n = 0;

	vec_push(&to->cpu, first);
	for (size_t i = 0; i < t->n_events; i++)
		add_moment(to, run_time(r, to->p, t->events[i].end), t->events[i].cpu_ns);
	for (size_t i = 0; i < t->n_log; i++)
		add_moment(to, run_time(r, to->p, t->log[i].end), t->log[i].cpu_ns);
	if (last.cpu >= first.cpu)
		vec_push(&to->cpu, last);
	qsort(to->cpu.at, to->cpu.n, sizeof(*to->cpu.at), by_time);
	for (size_t i = 0; i < to->cpu.n; i++) /* it only ever grows; what says otherwise is left out */
		if (!n || to->cpu.at[i].cpu >= to->cpu.at[n - 1].cpu)
			to->cpu.at[n++] = to->cpu.at[i];
	to->cpu.n = n;
}

/* Looks are in order of pid, tid and time. */
static void note_cores(const struct replay *r, struct replay_thread *to)
{
	for (size_t i = 0; i < r->cores.n; i++) {
		const struct core_look *c = &r->cores.at[i];

		if (c->pid != to->p->header->pid || c->tid != to->t->raw->tid)
			continue;
		if (!to->n_cores++)
			to->core = i;
	}
}

static void note_thread(struct replay *r, const struct run_process *p, const struct run_thread *t)
{
	struct replay_thread *to = &r->threads[r->n_threads];
	uint64_t end = t->raw->end_tsc ? t->raw->end_tsc : p->end;

	if (!t->raw->tid || end < t->raw->start_tsc)
		return;
	*to = (struct replay_thread){
		.p = p, .t = t, .from = run_time(r, p, t->raw->start_tsc), .to = run_time(r, p, end)};
	note_cpu(r, to);
	note_cores(r, to);
	r->n_threads++;
	r->length_ns = to->to > r->length_ns ? to->to : r->length_ns;
}

int replay_open(struct replay *r, const char *dir, struct err *err)
{
	size_t n = 0;
	int ret;

	*r = (struct replay){.start_ns = UINT64_MAX};
	ret = run_open(&r->run, dir, err);
	if (ret)
		return ret;
	cores_read(r->run.path, &r->cores, &(struct err)ERR_INIT);
	for (size_t i = 0; i < r->run.n_processes; i++) {
		const struct run_process *p = &r->run.processes[i];

		n += p->n_threads;
		if (p->header->mono_start_ns < r->start_ns)
			r->start_ns = p->header->mono_start_ns;
	}
	r->threads = mem_new(n + 1, sizeof(*r->threads));
	for (size_t i = 0; i < r->run.n_processes; i++)
		for (size_t k = 0; k < r->run.processes[i].n_threads; k++)
			note_thread(r, &r->run.processes[i], &r->run.processes[i].threads[k]);
	return 0;
}

void replay_close(struct replay *r)
{
	for (size_t i = 0; i < r->n_threads; i++)
		vec_release(&r->threads[i].cpu);
	free(r->threads);
	vec_release(&r->cores);
	run_close(&r->run);
}

/* ---- a moment ------------------------------------------------------------------------------------ */

/* CPU time at @at, on a straight line between the moments at which it is known. */
static double cpu_at(const struct replay_thread *t, uint64_t at)
{
	size_t low = search_first(t->cpu.n, i, t->cpu.at[i].at <= at);
	const struct moment *a, *b;

	if (!low || low == t->cpu.n)
		return (double)t->cpu.at[low ? low - 1 : 0].cpu;
	a = &t->cpu.at[low - 1];
	b = &t->cpu.at[low];
	return (double)a->cpu + (double)(b->cpu - a->cpu) * (double)(at - a->at) / (double)(b->at - a->at);
}

/* How much of [@from, @to] lies in [@a, @b]. */
static uint64_t overlap(uint64_t a, uint64_t b, uint64_t from, uint64_t to)
{
	uint64_t low = a > from ? a : from, high = b < to ? b : to;

	return high > low ? high - low : 0;
}

/* The wait that took most of a span of time. */
struct longest {
	struct live_thread *out;
	uint64_t from, to, all, longest;
};

static void look_at_wait(struct longest *l, uint64_t begin, uint64_t end, const struct prs_wait *w)
{
	uint64_t part = overlap(begin, end, l->from, l->to);

	l->all += part;
	l->out->wait_open |= begin <= l->to && end > l->to;
	if (part <= l->longest)
		return;
	l->longest = part;
	l->out->wait_kind = w->kind;
	l->out->wait_object = w->object;
	l->out->wait_for = w->other;
	l->out->wait_fd = w->fd;
}

static void look_at_waits(const struct replay *r, const struct replay_thread *t, uint64_t from, uint64_t to,
			  struct live_thread *out)
{
	struct longest l = {.out = out, .from = from, .to = to};

	for (size_t i = 0; i < t->t->n_events; i++) {
		const struct prs_event *e = &t->t->events[i];
		struct prs_wait w = {.kind = e->kind, .object = e->object, .other = e->other, .fd = -1};

		if (run_is_wait(e->kind))
			look_at_wait(&l, run_time(r, t->p, e->begin), run_time(r, t->p, e->end), &w);
	}
	for (size_t i = 0; i < t->t->n_waits; i++) /* what had not ended is no event */
		if (t->t->waits[i].flags & PRS_WAIT_OPEN)
			look_at_wait(&l, run_time(r, t->p, t->t->waits[i].first), t->to + 1, &t->t->waits[i]);
	out->waiting = (double)l.all / (double)(to - from);
	out->waiting = out->waiting > 1 ? 1 : out->waiting;
}

static void look_at_cores(const struct replay *r, const struct replay_thread *t, uint64_t from, uint64_t to,
			  struct live_thread *out)
{
	uint64_t moves = 0;

	for (size_t i = t->core; i < t->core + t->n_cores; i++) {
		const struct core_look *c = &r->cores.at[i];
		uint64_t at = c->ns > r->start_ns ? c->ns - r->start_ns : 0;

		if (at > to)
			break;
		moves += at >= from && out->core >= 0 && out->core != (int)c->core;
		out->core = (int)c->core;
	}
	out->migrations = t->n_cores ? (double)moves / ((double)(to - from) / 1e9) : LIVE_UNKNOWN;
}

static void look_at_thread(const struct replay *r, const struct replay_thread *t, uint64_t from, uint64_t to,
			   struct live *l)
{
	struct live_thread out = {.pid = t->p->header->pid,
				  .index = t->t->raw->index,
				  .tid = t->t->raw->tid,
				  .core = -1,
				  .ready = LIVE_UNKNOWN,
				  .calls = LIVE_UNKNOWN,
				  .transfers = LIVE_UNKNOWN,
				  .wait_for = PRS_NO_THREAD,
				  .wait_fd = -1};
	double busy = t->cpu.n > 1 ? (cpu_at(t, to) - cpu_at(t, from)) / (double)(to - from) : LIVE_UNKNOWN;

	memcpy(out.name, t->t->raw->name, sizeof(t->t->raw->name));
	out.running = busy > 1 ? 1 : busy;
	look_at_waits(r, t, from, to, &out);
	look_at_cores(r, t, from, to, &out);
	if (out.wait_open) /* else it may sleep where the runtime does not see it */
		out.state = 'S';
	else if (out.running >= BUSY)
		out.state = 'R';
	vec_push(&l->threads, out);
}

void replay_look(const struct replay *r, uint64_t from, uint64_t to, struct live *l)
{
	l->threads.n = l->n_processes = l->n_ended = 0;
	l->sharing = l->counted = false;
	to = to < r->length_ns ? to : r->length_ns;
	if (to <= from)
		return;
	for (size_t i = 0; i < r->n_threads; i++) {
		const struct replay_thread *t = &r->threads[i];

		l->n_ended += t->to <= from;
		if (t->to <= from || t->from >= to)
			continue;
		l->n_processes += !l->threads.n || l->threads.at[l->threads.n - 1].pid != t->p->header->pid;
		look_at_thread(r, t, from, to, l);
	}
}
