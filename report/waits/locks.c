/* SPDX-License-Identifier: MIT */
/* Locks: how often each was taken, how often somebody had to wait, how long it was held. */
#include <stdlib.h>
#include <string.h>

#include "report/waits/parts.h"

struct lock_use {
	struct report_lock lock;
	const struct run_process *process;
	uint64_t object;
	uint32_t thread;
};
struct use_list VEC(struct lock_use);

uint64_t hold_times(const struct run_process *p, const struct prs_wait *w, double *ns)
{
	bool trim = w->timed > 2 && w->max <= w->ticks;

	*ns = (double)(trim ? w->ticks - w->max : w->ticks) * p->ns_per_tick;
	return trim ? w->timed - 1 : w->timed;
}

static struct lock_use use_of(const struct run_process *p, uint32_t thread, const struct prs_wait *w)
{
	double ns;
	struct lock_use u = {.lock = {.kind = w->kind}, .process = p, .object = w->object, .thread = thread};

	if (w->flags & PRS_WAIT_TAKEN) {
		u.lock.taken = w->count;
		u.lock.holds = hold_times(p, w, &ns);
		if (u.lock.holds) {
			u.lock.held_ns = ns / (double)u.lock.holds * (double)w->count;
			u.lock.held_of = w->count;
		}
	} else {
		u.lock.waits = w->count;
		u.lock.wait_ns = (double)w->ticks * p->ns_per_tick;
	}
	return u;
}

/* Raw addresses are enough of an order to find the name of each object once. */
static int locks_by_object(const void *a, const void *b)
{
	const struct lock_use *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->lock.kind != y->lock.kind)
		return x->lock.kind < y->lock.kind ? -1 : 1;
	return (x->object > y->object) - (x->object < y->object);
}

static int locks_by_name(const void *a, const void *b)
{
	const struct report_lock *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->object ? x->object : "", y->object ? y->object : "");
}

static int by_name_and_process(const struct lock_use *x, const struct lock_use *y)
{
	int c = locks_by_name(&x->lock, &y->lock);

	return c ? c : (x->process > y->process) - (x->process < y->process);
}

static int by_name_and_object(const void *a, const void *b)
{
	const struct lock_use *x = a, *y = b;
	int c = by_name_and_process(x, y);

	return c ? c : (x->object > y->object) - (x->object < y->object);
}

static int by_name_and_thread(const void *a, const void *b)
{
	const struct lock_use *x = a, *y = b;
	int c = by_name_and_process(x, y);

	return c ? c : (x->thread > y->thread) - (x->thread < y->thread);
}

static int locks_by_time(const void *a, const void *b)
{
	const struct report_lock *x = a, *y = b;

	if (x->wait_ns != y->wait_ns)
		return x->wait_ns > y->wait_ns ? -1 : 1;
	if (x->taken != y->taken)
		return x->taken > y->taken ? -1 : 1;
	return locks_by_name(a, b);
}

static void locks_gather(struct report_summary *s, struct use_list *uses)
{
	for (size_t i = 0; i < s->run->n_processes; i++) {
		const struct run_process *p = &s->run->processes[i];

		for (uint32_t k = 0; k < p->n_threads; k++)
			for (size_t w = 0; w < p->threads[k].n_waits; w++)
				if (run_is_lock(p->threads[k].waits[w].kind))
					vec_push(uses, use_of(p, k, &p->threads[k].waits[w]));
	}
	if (uses->n)
		qsort(uses->at, uses->n, sizeof(*uses->at), locks_by_object);
	for (size_t i = 0; i < uses->n; i++) {
		struct lock_use *u = &uses->at[i];

		u->lock.object = i && !locks_by_object(u - 1, u)
					 ? u[-1].lock.object
					 : wait_object_name(s, u->process, u->lock.kind, u->object, -1);
	}
}

static void locks_add(struct report_lock *to, const struct report_lock *from)
{
	to->taken += from->taken;
	to->waits += from->waits;
	to->wait_ns += from->wait_ns;
	to->holds += from->holds;
	to->held_ns += from->held_ns;
	to->held_of += from->held_of;
}

/* One entry for each name; how many threads use what is called so, ... */
static void fold(struct report_summary *s, const struct use_list *uses)
{
	size_t n = 0;

	for (size_t i = 0; i < uses->n; i++) {
		const struct lock_use *u = &uses->at[i];

		if (!i || locks_by_name(&u[-1].lock, &u->lock))
			s->locks[n++] = (struct report_lock){.kind = u->lock.kind, .object = u->lock.object};
		locks_add(&s->locks[n - 1], &u->lock);
		s->locks[n - 1].threads += !i || by_name_and_thread(u - 1, u);
	}
	s->n_locks = n;
}

/* ... and how many objects and processes those are. */
static void count_objects(struct report_summary *s, const struct use_list *uses)
{
	size_t n = 0;

	for (size_t i = 0; i < uses->n; i++) {
		const struct lock_use *u = &uses->at[i];
		bool first = !i || locks_by_name(&u[-1].lock, &u->lock);

		n += first;
		s->locks[n - 1].objects += first || by_name_and_object(u - 1, u);
		s->locks[n - 1].processes += first || u[-1].process != u->process;
	}
}

void collect_locks(struct report_summary *s)
{
	struct use_list uses = VEC_INIT;

	locks_gather(s, &uses);
	s->locks = mem_new(uses.n + 1, sizeof(*s->locks));
	if (uses.n)
		qsort(uses.at, uses.n, sizeof(*uses.at), by_name_and_thread);
	fold(s, &uses);
	if (uses.n)
		qsort(uses.at, uses.n, sizeof(*uses.at), by_name_and_object);
	count_objects(s, &uses);
	qsort(s->locks, s->n_locks, sizeof(*s->locks), locks_by_time);
	vec_release(&uses);
}

double report_hold_mean(const struct report_lock *l)
{
	return l->held_of ? l->held_ns / (double)l->held_of : 0;
}
