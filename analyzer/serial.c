/* SPDX-License-Identifier: MIT */
#include "analyzer/serial.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/locks.h"
#include "lib/demangle.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

/*
 * A lock under which less than this part of the longest thread's work is done
 * in a phase, by all its threads together, holds nobody up.
 */
#define MATTERS 0.1

/* Waits that take less than this part of all threads' time are not worth a word. */
#define WORTH_SAYING 0.02

/* Fewer waits are a beginning or an end. */
#define WAITS_MIN 8

/* A wait that takes this part of what the other did meanwhile may have been for all of it. */
#define COVERS 0.9

/* Pairs named; more of them are the same thing. */
#define TURNS_SAID 4

/* ---- locks ---- */

/* What a thread does under a lock in a phase. */
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
	uint32_t *thread_of; /* of the process, by instance */
	uint64_t *held;      /* ns, by lock */
};

/* ns of CPU time [@from, @to) that @thread spends under each lock. */
static void add_held(struct filler *f, uint32_t thread, uint64_t from, uint64_t to)
{
	const struct hold_row *row = &f->holds.of[thread];
	const struct hold *h = row->n ? hold_from(row, from) : NULL, *end = row->at + row->n;

	for (; h && h < end && h->from < to; h++) {
		uint64_t begin = h->from > from ? h->from : from, stop = h->to < to ? h->to : to;

		f->held[h->lock] += stop > begin ? stop - begin : 0;
	}
}

/* What @thread did in all occurrences of @phase, ns; f->held: of it under each lock. */
static uint64_t add_occurrences(struct filler *f, uint32_t phase, uint32_t thread)
{
	uint64_t all = 0;

	for (uint32_t l = 0; l < f->holds.n_locks; l++)
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
	}
	return all;
}

static uint64_t scaled(uint64_t work, uint64_t held, uint64_t all)
{
	return (uint64_t)((unsigned __int128)work * (held < all ? held : all) / all);
}

static void add_thread(struct filler *f, uint32_t phase, const struct model_work *w, struct vec_part *parts)
{
	uint32_t thread = f->thread_of[w->thread];
	uint64_t all;

	if (thread == INSTANCE_NONE || !f->holds.of[thread].n)
		return;
	all = add_occurrences(f, phase, thread);
	for (uint32_t l = 0; all && l < f->holds.n_locks; l++) {
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

/* "mutex queue.lock", or where it is taken. */
static char *lock_name(const struct filler *f, uint32_t lock)
{
	const struct held_lock *l = &f->holds.locks[lock];
	const struct run_call_site *site = run_call_site(f->tl->p, l->site);
	uint64_t offset = 0;
	const struct run_symbol *sym = run_symbol(f->tl->run, f->tl->p, l->object, &offset);
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, "mutex");
	if (sym) {
		char *name = demangle_short(sym->name);

		strbuf_printf(&sb, " %s", name ? name : sym->name);
		free(name);
		if (offset)
			strbuf_printf(&sb, "+%llu", (unsigned long long)offset);
	} else if (site) {
		strbuf_printf(&sb, " taken at %s:%u", site->file, site->line);
	}
	return strbuf_detach(&sb);
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
		add_thread(f, phase, &ph->work[i], &parts);
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
	f.thread_of = instance_threads(tl->ins, tl->run_number, tl->p->n_threads);
	f.held = mem_new(f.holds.n_locks + 1, sizeof(*f.held));
	for (uint32_t p = 0; p < m->n_phases && f.holds.n_locks; p++)
		fill_phase(&f, p);
	holds_release(&f.holds);
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

static bool is_stream(uint32_t kind)
{
	return kind == PRS_EV_COND || kind == PRS_EV_SEM || kind == PRS_EV_FUTEX || kind == PRS_EV_READ ||
	       kind == PRS_EV_WRITE || kind == PRS_EV_POLL;
}

static bool is_plain(const struct prs_wait *w)
{
	return !(w->flags & PRS_WAIT_TAKEN) && w->count;
}

/* ns in waits of a kind of that name, and in whole lives, of all threads. */
static double waited_for(const struct timeline *tl, const char *name, double *life)
{
	uint64_t ticks = 0, lives = 0;

	for (size_t t = 0; t < tl->p->n_threads; t++) {
		const struct run_thread *th = &tl->p->threads[t];
		uint64_t end = th->raw->end_tsc ? th->raw->end_tsc : tl->p->end;

		lives += end > th->raw->start_tsc ? end - th->raw->start_tsc : 0;
		for (size_t i = 0; i < th->n_waits; i++)
			if (is_plain(&th->waits[i]) && unknown_wait(th->waits[i].kind) == name)
				ticks += th->waits[i].ticks;
	}
	*life = (double)lives * tl->p->ns_per_tick;
	return (double)ticks * tl->p->ns_per_tick;
}

static void say_kinds(const struct timeline *tl, struct notes *notes)
{
	static const uint32_t kinds[] = {PRS_EV_COND,  PRS_EV_SEM,  PRS_EV_RWLOCK, PRS_EV_SPIN,
					 PRS_EV_FUTEX, PRS_EV_READ, PRS_EV_TEAM};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *name = unknown_wait(kinds[i]);
		double life, ns = waited_for(tl, name, &life);

		if (ns <= WORTH_SAYING * life)
			continue;
		notes_add(notes,
			  "threads waited for %s for %.0f %% of their time, which is not in the model: %s",
			  name, 100 * ns / life,
			  is_stream(kinds[i]) ? "it takes both sides for a stream, at work at the same time"
					      : "it takes them for independent there");
	}
}

/* @who waited for @whom. */
struct hop {
	uint32_t who, whom;
	uint64_t count, ticks, first, last;
};
struct vec_hop VEC(struct hop);

static int by_whom(const void *a, const void *b)
{
	const struct hop *x = a, *y = b;

	if (x->who != y->who)
		return x->who < y->who ? -1 : 1;
	return x->whom < y->whom ? -1 : x->whom > y->whom;
}

/* How often @thread signalled @object; 0: that is not known of such objects. */
static uint64_t signals_of(const struct timeline *tl, uint32_t thread, uint64_t object)
{
	const struct run_thread *t = &tl->p->threads[thread];
	uint64_t n = 0;

	for (size_t i = 0; i < t->n_waits; i++)
		if (t->waits[i].flags & PRS_WAIT_TAKEN && t->waits[i].object == object &&
		    (t->waits[i].kind == PRS_EV_SIGNAL_COND || t->waits[i].kind == PRS_EV_POST))
			n += t->waits[i].count;
	return n;
}

/* A wait for another thread; with room between the two most signals find nobody waiting. */
static bool is_hop(const struct timeline *tl, uint32_t thread, const struct prs_wait *w)
{
	return is_plain(w) && is_stream(w->kind) && w->other < tl->p->n_threads && w->other != thread &&
	       signals_of(tl, w->other, w->object) <= 2 * w->count;
}

/* Who waited for whom, each pair of them once, in order. */
static void gather_hops(const struct timeline *tl, struct vec_hop *hops)
{
	size_t n = 0;

	for (uint32_t t = 0; t < tl->p->n_threads; t++)
		for (size_t i = 0; i < tl->p->threads[t].n_waits; i++) {
			const struct prs_wait *w = &tl->p->threads[t].waits[i];

			if (is_hop(tl, t, w))
				vec_push(hops,
					 ((struct hop){t, w->other, w->count, w->ticks, w->first, w->last}));
		}
	if (hops->n)
		qsort(hops->at, hops->n, sizeof(*hops->at), by_whom);
	for (size_t i = 0; i < hops->n; i++) {
		struct hop *h = &hops->at[i], *to = n ? &hops->at[n - 1] : NULL;

		if (!to || by_whom(to, h)) {
			hops->at[n++] = *h;
			continue;
		}
		to->count += h->count;
		to->ticks += h->ticks;
		to->first = h->first < to->first ? h->first : to->first;
		to->last = h->last > to->last ? h->last : to->last;
	}
	hops->n = n;
}

/* Did the wait of one side take as long as the other one worked meanwhile? */
static bool covers(const struct timeline *tl, const struct hop *h)
{
	const struct cpu_line *line = &tl->cpu[h->whom];
	uint64_t from = cpu_at(line, h->first), to = cpu_at(line, h->last);

	return to > from && (double)h->ticks * tl->p->ns_per_tick > COVERS * (double)(to - from);
}

/*
 * Two threads of which each waits whenever the other works.  On a busy machine
 * a stream that has no room looks the same, so this is not believed, but said.
 */
static void say_turns(const struct timeline *tl, struct notes *notes)
{
	struct vec_hop hops = VEC_INIT;
	unsigned said = 0;

	gather_hops(tl, &hops);
	for (size_t i = 0; i < hops.n; i++) {
		const struct hop *a = &hops.at[i], *b;
		struct hop key = {.who = a->whom, .whom = a->who};
		uint32_t x, y;

		if (a->who > a->whom || a->count < WAITS_MIN)
			continue;
		b = bsearch(&key, hops.at, hops.n, sizeof(*hops.at), by_whom);
		x = instance_of(tl->ins, tl->run_number, a->who);
		y = instance_of(tl->ins, tl->run_number, a->whom);
		if (!b || b->count < WAITS_MIN || !covers(tl, a) || !covers(tl, b) || x == INSTANCE_NONE ||
		    y == INSTANCE_NONE || said++ == TURNS_SAID)
			continue;
		notes_add(notes,
			  "threads %s and %s may work in turns (they waited for each other %llu and %llu "
			  "times, each for as long as the other worked): if they never work at the same "
			  "time, write so as `serial` of their phase",
			  tl->ins->at[x].name, tl->ins->at[y].name, (unsigned long long)a->count,
			  (unsigned long long)b->count);
	}
	vec_release(&hops);
}

void serial_unknown(const struct timeline *tl, struct notes *notes)
{
	say_kinds(tl, notes);
	say_turns(tl, notes);
}
