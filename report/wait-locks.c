/* SPDX-License-Identifier: MIT */
/* Locks: how often each was taken, how often somebody had to wait, how long it was held. */
#include <stdlib.h>
#include <string.h>

#include "report/collect.h"

struct lock_use {
	struct report_lock lock;
	const struct run_process *process;
	uint64_t object;
	uint32_t thread;
};
struct use_list VEC(struct lock_use);

static bool is_lock(uint32_t kind)
{
	return kind == PRS_EV_MUTEX || kind == PRS_EV_RWLOCK || kind == PRS_EV_SPIN;
}

uint64_t hold_times(const struct run_process *p, const struct prs_wait *w, double *ns)
{
	bool trim = w->timed > 2 && w->max <= w->ticks;

	*ns = (double)(trim ? w->ticks - w->max : w->ticks) * p->ns_per_tick;
	return trim ? w->timed - 1 : w->timed;
}

static struct lock_use use_of(const struct run_process *p, uint32_t thread, const struct prs_wait *w)
{
	double ns = (double)w->ticks * p->ns_per_tick;
	struct lock_use u = {.lock = {.kind = w->kind}, .process = p, .object = w->object, .thread = thread};

	if (w->flags & PRS_WAIT_TAKEN) {
		u.lock.taken = w->count;
		u.lock.holds = hold_times(p, w, &u.lock.hold_ns);
		if (u.lock.holds)
			u.lock.held_ns = u.lock.hold_ns / (double)u.lock.holds * (double)w->count;
	} else {
		u.lock.waits = w->count;
		u.lock.wait_ns = ns;
	}
	return u;
}

static int by_object(const void *a, const void *b)
{
	const struct lock_use *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->lock.kind != y->lock.kind)
		return x->lock.kind < y->lock.kind ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

static void add(struct report_lock *to, const struct report_lock *from)
{
	to->taken += from->taken;
	to->waits += from->waits;
	to->wait_ns += from->wait_ns;
	to->holds += from->holds;
	to->hold_ns += from->hold_ns;
	to->held_ns += from->held_ns;
	if (from->threads > to->threads)
		to->threads = from->threads;
	to->objects += from->objects;
}

/* One entry for each object. */
static void fold(struct use_list *uses)
{
	size_t n = 0;

	for (size_t i = 0; i < uses->n; i++) {
		struct lock_use *to = n ? &uses->at[n - 1] : NULL;
		const struct lock_use from = uses->at[i];
		bool again = to && to->process == from.process && to->object == from.object &&
			     to->lock.kind == from.lock.kind;

		if (!again) {
			uses->at[n] = from;
			uses->at[n].lock.threads = uses->at[n].lock.objects = 1;
			n++;
			continue;
		}
		add(&to->lock, &from.lock);
		to->lock.threads += to->thread != from.thread;
		to->thread = from.thread;
	}
	uses->n = n;
}

static int by_name(const void *a, const void *b)
{
	const struct report_lock *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->object ? x->object : "", y->object ? y->object : "");
}

static int by_time(const void *a, const void *b)
{
	const struct report_lock *x = a, *y = b;

	if (x->wait_ns != y->wait_ns)
		return x->wait_ns > y->wait_ns ? -1 : 1;
	if (x->taken != y->taken)
		return x->taken > y->taken ? -1 : 1;
	return by_name(a, b);
}

static void gather(const struct run *run, struct use_list *uses)
{
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];

		for (uint32_t k = 0; k < p->n_threads; k++)
			for (size_t w = 0; w < p->threads[k].n_waits; w++)
				if (is_lock(p->threads[k].waits[w].kind))
					vec_push(uses, use_of(p, k, &p->threads[k].waits[w]));
	}
	if (uses->n)
		qsort(uses->at, uses->n, sizeof(*uses->at), by_object);
}

void collect_locks(struct report_summary *s)
{
	struct use_list uses = VEC_INIT;
	size_t n = 0;

	gather(s->run, &uses);
	fold(&uses);
	s->locks = mem_new(uses.n + 1, sizeof(*s->locks));
	for (size_t i = 0; i < uses.n; i++) {
		s->locks[i] = uses.at[i].lock;
		s->locks[i].object =
			wait_object_name(s, uses.at[i].process, uses.at[i].lock.kind, uses.at[i].object, -1);
	}
	qsort(s->locks, uses.n, sizeof(*s->locks), by_name);
	for (size_t i = 0; i < uses.n; i++)
		if (n && !by_name(&s->locks[n - 1], &s->locks[i]))
			add(&s->locks[n - 1], &s->locks[i]);
		else
			s->locks[n++] = s->locks[i];
	s->n_locks = n;
	qsort(s->locks, n, sizeof(*s->locks), by_time);
	vec_release(&uses);
}
