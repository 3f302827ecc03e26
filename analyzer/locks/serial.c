/* SPDX-License-Identifier: MIT */
#include "analyzer/locks/serial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/locks/locks.h"
#include "analyzer/locks/alternate.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "record/object-name.h"

/*
 * A lock under which less than this part of the longest thread's work is done
 * in a phase, by all its threads together, holds nobody up.
 */
#define MATTERS 0.1

/* Waits that take less than this part of all threads' time are not worth a word. */
#define WORTH_SAYING 0.02

/* Pairs named; more of them are the same thing. */
#define TURNS_SAID 4u

/* ---- locks ---- */

/* What a thread does under a lock in a phase.  Who take turns have a lock of their own, behind all others. */
struct part {
	uint32_t lock, thread;
	uint64_t cycles, memory_ns;
};
struct vec_part VEC(struct part);

struct filler {
	const struct timeline *tl;
	const struct bounds *b;
	const uint32_t *phase_of;
	struct model *m;
	struct holds holds;
	struct alternates turns;
	struct object_names *objects;
	uint32_t n_locks;    /* of holds, and one for each of turns */
	uint32_t *thread_of; /* of the process, by instance */
	uint64_t *held;      /* ns, by lock */
};

static uint64_t common(uint64_t a_from, uint64_t a_to, uint64_t b_from, uint64_t b_to)
{
	uint64_t from = a_from > b_from ? a_from : b_from, to = a_to < b_to ? a_to : b_to;

	return to > from ? to - from : 0;
}

/* ns of CPU time [@from, @to) that @thread spends under each lock. */
static void add_held(struct filler *f, uint32_t thread, uint64_t from, uint64_t to)
{
	const struct hold_row *row = &f->holds.of[thread];
	const struct hold *h = row->n ? hold_from(row, from) : NULL, *end = row->at + row->n;

	for (; h && h < end && h->from < to; h++)
		f->held[h->lock] += common(h->from, h->to, from, to);
}

/* The same for the turns that it takes. */
static void add_turns(struct filler *f, uint32_t thread, uint64_t from, uint64_t to)
{
	const struct cpu_line *cpu = &f->tl->cpu[thread];
	const struct alternate *t = alternate_of(&f->turns, thread);

	if (t)
		f->held[f->holds.n_locks + (t - f->turns.at)] +=
			common(cpu_at(cpu, t->first), cpu_at(cpu, t->last), from, to);
}

/* What @thread did in all occurrences of @phase, ns; f->held: of it under each lock. */
static uint64_t add_occurrences(struct filler *f, uint32_t phase, uint32_t thread)
{
	uint64_t all = 0;

	for (uint32_t l = 0; l < f->n_locks; l++)
		f->held[l] = 0;
	for (size_t i = 0; i < f->b->n; i++) {
		uint64_t from, to;

		if (f->phase_of[i] != phase)
			continue;
		from = bound_cpu(f->tl, &f->b->at[i], thread);
		to = i + 1 < f->b->n ? bound_cpu(f->tl, &f->b->at[i + 1], thread)
				     : cpu_at(&f->tl->cpu[thread], UINT64_MAX);
		if (to <= from)
			continue;
		all += to - from;
		add_held(f, thread, from, to);
		add_turns(f, thread, from, to);
	}
	return all;
}

static uint64_t scaled(uint64_t work, uint64_t held, uint64_t all)
{
	return (uint64_t)((unsigned __int128)work * (held < all ? held : all) / all);
}

static void serial_add_thread(struct filler *f, uint32_t phase, const struct model_work *w,
			      struct vec_part *parts)
{
	uint32_t thread = f->thread_of[w->thread];
	uint64_t all;

	if (thread == INSTANCE_NONE || (!f->holds.of[thread].n && !alternate_of(&f->turns, thread)))
		return;
	all = add_occurrences(f, phase, thread);
	for (uint32_t l = 0; all && l < f->n_locks; l++) {
		struct part p = {l, w->thread, scaled(w->cycles, f->held[l], all),
				 scaled(w->memory_ns, f->held[l], all)};

		if (p.cycles | p.memory_ns)
			vec_push(parts, p);
	}
}

static int by_lock(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* The name of @thread of the process; NULL: it is none of the model's. */
static const char *thread_name(const struct timeline *tl, uint32_t thread)
{
	uint32_t i = instance_of(tl->ins, tl->run_number, thread);

	return i == INSTANCE_NONE ? NULL : tl->ins->at[i].name;
}

static char *turn_name(const struct timeline *tl, const struct alternate *t)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "turns of %s and %s", thread_name(tl, t->a), thread_name(tl, t->b));
	return strbuf_detach(&sb);
}

/* "mutex queue.lock", or where in the program it is taken. */
static char *mutex_name(const struct filler *f, uint32_t lock)
{
	const struct held_lock *l = &f->holds.locks[lock];
	const struct run_call_site *site = run_call_site(f->tl->p, l->site);
	struct strbuf sb = STRBUF_INIT;
	struct run_place place;

	strbuf_puts(&sb, "mutex ");
	if (object_name(&sb, f->objects, l->object))
		return strbuf_detach(&sb);
	if (site)
		run_site_place(f->tl->run, site, &place);
	if (site && strncmp(place.file, "/usr/", 5))
		strbuf_printf(&sb, "taken at %s:%u", place.file, place.line);
	else
		strbuf_puts(&sb, "without a name");
	return strbuf_detach(&sb);
}

static char *lock_name(const struct filler *f, uint32_t lock)
{
	return lock < f->holds.n_locks ? mutex_name(f, lock)
				       : turn_name(f->tl, &f->turns.at[lock - f->holds.n_locks]);
}

static uint64_t longest_work(const struct model_phase *ph)
{
	uint64_t most = 0;

	for (size_t i = 0; i < ph->n_work; i++)
		most = ph->work[i].cycles > most ? ph->work[i].cycles : most;
	return most;
}

static void add_lock(struct filler *f, struct model_phase *ph, const struct part *part, size_t n)
{
	struct model_serial *s;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += part[i].cycles;
	if (n < 2 || (double)sum < MATTERS * (double)longest_work(ph))
		return;
	ph->serial = mem_resize(ph->serial, ph->n_serial + 1, sizeof(*ph->serial));
	s = &ph->serial[ph->n_serial++];
	*s = (struct model_serial){.lock = part->lock, .object = lock_name(f, part->lock), .n_held = n};
	s->held = mem_new(n, sizeof(*s->held));
	for (size_t i = 0; i < n; i++)
		s->held[i] = (struct model_held){part[i].thread, part[i].cycles, part[i].memory_ns};
}

static void fill_phase(struct filler *f, uint32_t phase)
{
	struct model_phase *ph = &f->m->phases[phase];
	struct vec_part parts = VEC_INIT;

	for (size_t i = 0; i < ph->n_work; i++)
		serial_add_thread(f, phase, &ph->work[i], &parts);
	if (parts.n)
		qsort(parts.at, parts.n, sizeof(*parts.at), by_lock);
	for (size_t from = 0, to; from < parts.n; from = to) {
		for (to = from + 1; to < parts.n && parts.at[to].lock == parts.at[from].lock; to++)
			;
		add_lock(f, ph, parts.at + from, to - from);
	}
	vec_release(&parts);
}

void serial_fill(struct model *m, const struct timeline *tl, const struct bounds *b, const uint32_t *phase_of)
{
	struct filler f = {.tl = tl, .b = b, .phase_of = phase_of, .m = m};

	holds_find(&f.holds, tl);
	alternate_find(&f.turns, tl);
	f.objects = object_names_make(tl->run, tl->p);
	f.n_locks = f.holds.n_locks + (uint32_t)f.turns.n;
	f.thread_of = instance_threads(tl->ins, tl->run_number, tl->p->n_threads);
	f.held = mem_new(f.n_locks + 1, sizeof(*f.held));
	for (uint32_t p = 0; p < m->n_phases && f.n_locks; p++)
		fill_phase(&f, p);
	holds_release(&f.holds);
	alternate_release(&f.turns);
	object_names_free(f.objects);
	free(f.thread_of);
	free(f.held);
}

/* ---- what is not in the model ---- */

/* NULL: it is in the model, or no matter of the program's own threads. */
static const char *unknown_wait(uint32_t kind)
{
	switch (kind) {
	case PRS_EV_COND:
		return "condition variables";
	case PRS_EV_SEM:
		return "semaphores";
	case PRS_EV_RWLOCK:
		return "read-write locks";
	case PRS_EV_SPIN:
		return "spin locks";
	case PRS_EV_FUTEX:
		return "futexes";
	case PRS_EV_READ:
	case PRS_EV_WRITE:
	case PRS_EV_POLL:
		return "pipes, sockets and files";
	case PRS_EV_TEAM:
		return "work of OpenMP teams";
	default:
		return NULL;
	}
}

static bool serial_is_plain(const struct prs_wait *w)
{
	return !(w->flags & PRS_WAIT_TAKEN) && w->count;
}

/* ns in waits of a kind of that name that are not turns, and in whole lives, of all threads. */
static double waited_for(const struct timeline *tl, const struct alternates *turns, const char *name,
			 double *life)
{
	uint64_t ticks = 0, lives = 0;

	for (size_t t = 0; t < tl->p->n_threads; t++) {
		const struct run_thread *th = &tl->p->threads[t];
		uint64_t end = th->raw->end_tsc ? th->raw->end_tsc : tl->p->end;

		lives += end > th->raw->start_tsc ? end - th->raw->start_tsc : 0;
		for (size_t i = 0; i < th->n_waits; i++)
			if (serial_is_plain(&th->waits[i]) && unknown_wait(th->waits[i].kind) == name &&
			    !(alternate_wait(th->waits[i].kind) && alternate_of(turns, (uint32_t)t)))
				ticks += th->waits[i].ticks;
	}
	*life = (double)lives * tl->p->ns_per_tick;
	return (double)ticks * tl->p->ns_per_tick;
}

static void say_kinds(const struct timeline *tl, const struct alternates *turns, struct notes *notes)
{
	static const uint32_t kinds[] = {PRS_EV_COND,  PRS_EV_SEM,  PRS_EV_RWLOCK, PRS_EV_SPIN,
					 PRS_EV_FUTEX, PRS_EV_READ, PRS_EV_TEAM};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *name = unknown_wait(kinds[i]);
		double life, ns = waited_for(tl, turns, name, &life);

		if (ns <= WORTH_SAYING * life)
			continue;
		notes_add(notes,
			  "threads waited for %s for %.0f %% of their time, which is not in the model: %s",
			  name, 100 * ns / life,
			  alternate_wait(kinds[i])
				  ? "it takes both sides for a stream, at work at the same time"
				  : "it takes them for independent there");
	}
}

/* Two threads of which each waits whenever the other works; or their buffer is full and empty in turn. */
static void say_turns(const struct timeline *tl, const struct alternates *turns, struct notes *notes)
{
	unsigned said = 0;

	for (size_t i = 0; i < turns->n; i++) {
		const struct alternate *t = &turns->at[i];
		const char *a = thread_name(tl, t->a), *b = thread_name(tl, t->b);

		if (t->strict || !a || !b || said++ >= TURNS_SAID)
			continue;
		notes_add(notes,
			  "threads %s and %s may work in turns (they waited for each other %llu and %llu "
			  "times, each for as long as the other worked): if they never work at the same "
			  "time, write so as `serial` of their phase",
			  a, b, (unsigned long long)t->count_a, (unsigned long long)t->count_b);
	}
}

void serial_unknown(const struct timeline *tl, struct notes *notes)
{
	struct alternates turns;

	alternate_find(&turns, tl);
	say_kinds(tl, &turns, notes);
	say_turns(tl, &turns, notes);
	alternate_release(&turns);
}
