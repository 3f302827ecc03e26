/* SPDX-License-Identifier: MIT */
#include "analyzer/pairs/cross.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "perseus/abi.h"

/* Where the shared memory lies in the process that is made up: nobody's addresses. */
#define BASE    0x600000000000ull
#define ROOM    (1ull << 36)
#define OBJECTS 512u

/* No line moves more often than that, ns. */
#define TRANSFER_NS 100.0

/* A window looks at so many accesses of a thread, and lasts so long at the most, ns. */
#define LOOKS     512.0
#define WINDOW_NS 10e6
/* So little of it was used on average that none was used up. */
#define SPARE 0.25

/* The longest gap that the recorder measures, ns. */
#define GAP_MOST_NS 100e3

/* Memory that processes share. */
struct memory {
	const struct prs_shared *first; /* the mapping met first, */
	uint32_t process;               /* ... and whose it is */
	uint64_t bytes;
	uint64_t from;
	bool several; /* of several processes */
};

struct memories {
	struct memory at[OBJECTS];
	uint32_t n;
};

static bool same_memory(const struct prs_shared *a, const struct prs_shared *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

static void add_mapping(struct memories *ms, const struct prs_shared *m, uint32_t process)
{
	uint64_t end = m->offset + m->bytes;

	for (uint32_t i = 0; i < ms->n; i++) {
		struct memory *x = &ms->at[i];

		if (!same_memory(x->first, m))
			continue;
		x->several |= x->process != process;
		x->bytes = end > x->bytes ? end : x->bytes;
		x->from = m->from < x->from ? m->from : x->from;
		return;
	}
	if (ms->n < OBJECTS && end >= m->bytes && end < ROOM)
		ms->at[ms->n++] = (struct memory){m, process, end, m->from, false};
}

/* Where the line lies in the memory of several processes; 0: in none. */
static uint64_t cross_place_of(const struct memories *ms, const struct run_process *p,
			       const struct prs_line *l)
{
	uint64_t address = l->line << PRS_LINE_SHIFT;

	for (size_t i = p->n_shared; i-- > 0;) {
		const struct prs_shared *m = &p->shared[i];

		if (address - m->start >= m->bytes || l->last < m->from || (m->to && l->first > m->to))
			continue;
		for (uint32_t k = 0; k < ms->n; k++)
			if (ms->at[k].several && same_memory(ms->at[k].first, m))
				return (BASE + k * ROOM + m->offset + address - m->start) >> PRS_LINE_SHIFT;
	}
	return 0;
}

/* ---- units and threads of all processes as one's ---- */

static void join_units(struct cross *c, const struct run *run, size_t n)
{
	struct run_process *p = &c->p;
	size_t at = 0;

	p->units = mem_new(n + 1, sizeof(*p->units));
	p->by_call = mem_new(n + 1, sizeof(*p->by_call));
	p->by_mem = mem_new(n + 1, sizeof(*p->by_mem));
	c->raw_units = mem_new(n + 1, sizeof(*c->raw_units));
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *q = &run->processes[i];

		for (size_t k = 0; k < q->n_by_call; k++)
			p->by_call[p->n_by_call++] = (uint32_t)at + q->by_call[k];
		for (size_t k = 0; k < q->n_by_mem; k++)
			p->by_mem[p->n_by_mem++] = (uint32_t)at + q->by_mem[k];
		for (size_t k = 0; k < q->n_units; k++, at++) {
			c->raw_units[at] = *q->units[k].raw;
			c->raw_units[at].first_call += c->header.n_calls;
			c->raw_units[at].first_mem += c->header.n_mems;
			p->units[at] = q->units[k];
			p->units[at].raw = &c->raw_units[at];
		}
		c->header.n_calls += q->header->n_calls;
		c->header.n_mems += q->header->n_mems;
	}
	p->n_units = n;
}

/* Copies of the thread's entries of shared lines; sites by the numbers of the whole. */
static void take_lines(struct cross *c, const struct memories *ms, const struct run_process *q,
		       const struct run_thread *from, struct run_thread *to, uint32_t first_mem)
{
	to->lines = mem_new(from->n_lines + 1, sizeof(*to->lines));
	for (size_t i = 0; i < from->n_lines; i++) {
		uint64_t line = cross_place_of(ms, q, from->lines[i]);
		struct prs_line *l = &c->lines[c->n_lines];

		if (!line)
			continue;
		*l = *from->lines[i];
		l->line = line;
		l->site += first_mem;
		l->generation = 0;
		l->path = l->peers = l->from_modified = l->invalidated = l->misses = l->burst_misses = 0;
		memset(l->peer_count, 0, sizeof(l->peer_count));
		to->lines[to->n_lines++] = l;
		c->n_lines++;
	}
}

static void join_threads(struct cross *c, const struct run *run, const struct memories *ms)
{
	uint32_t first_mem = 0;

	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *q = &run->processes[i];

		for (uint32_t k = 0; k < q->n_threads; k++) {
			uint32_t n = (uint32_t)c->p.n_threads++;
			struct run_thread *t = &c->p.threads[n];

			c->raw[n] = *q->threads[k].raw;
			c->raw[n].index = n;
			c->raw[n].creator = PRS_NO_THREAD;
			c->raw[n].stack_low = c->raw[n].stack_high = c->raw[n].pthread_id = 0;
			*t = q->threads[k];
			t->raw = &c->raw[n];
			t->n_notes = t->n_calls = t->n_lines = 0;
			t->notes = NULL;
			t->mem_counts = NULL;
			c->of[n] = q;
			c->thread[n] = k;
			take_lines(c, ms, q, &q->threads[k], t, first_mem);
		}
		first_mem += q->header->n_mems;
		c->p.end = q->end > c->p.end ? q->end : c->p.end;
	}
}

/* A note of each memory, as if it had been allocated where it was mapped. */
static void note_memories(struct cross *c, const struct run *run, const struct memories *ms)
{
	struct run_thread *t = &c->p.threads[0];
	uint32_t first_call = 0;

	t->notes = mem_new(ms->n + 1, sizeof(*t->notes));
	for (uint32_t i = 0; i < run->n_processes; i++) {
		for (uint32_t k = 0; k < ms->n; k++) {
			const struct memory *m = &ms->at[k];
			struct prs_note *n = &t->notes[t->n_notes];

			if (!m->several || m->process != i)
				continue;
			*n = (struct prs_note){m->from ? m->from : 1, BASE + k * ROOM, m->bytes, 0, 0};
			n->site = m->first->site == PRS_NO_SITE ? PRS_NO_SITE : first_call + m->first->site;
			t->n_notes++;
		}
		first_call += run->processes[i].header->n_calls;
	}
}

/* ---- transfers ---- */

struct entry {
	struct prs_line *l;
	uint32_t thread;
};

static int cross_by_line(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->l->line != y->l->line)
		return x->l->line < y->l->line ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* How often the thread comes to the line from this site, per tick, by the gaps. */
static double quick_pace(const struct prs_line *l)
{
	double span = l->last > l->first ? (double)(l->last - l->first) : 0;

	if (l->gap_ticks && l->gaps > 8)
		return (double)l->gaps / (double)l->gap_ticks;
	return span > 0 ? (double)(l->watched + l->trips) / span : 0;
}

/* Accesses of the thread to all lines that were looked at. */
static double looked_at(const struct run_thread *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->n_lines; i++)
		sum += (double)t->lines[i]->watched;
	return sum;
}

/*
 * A window looks at LOOKS accesses of a thread, and what comes after a gap longer than
 * GAP_MOST_NS has none.  More of those than windows can have begun: the thread comes to
 * the line now and then, and the short gaps in between do not say how often.  If it does
 * so little that no window was used up, what was looked at is all that there was.
 */
static double pace(const struct cross *c, const struct entry *at, size_t n, const struct entry *e)
{
	const struct prs_line *l = e->l;
	double looks = looked_at(&c->p.threads[e->thread]), seen = 0, gaps = 0, ticks = 0, seldom, most;
	double span = l->last > l->first ? (double)(l->last - l->first) : 0, quick = quick_pace(l);

	for (size_t i = 0; i < n; i++) {
		if (at[i].thread != e->thread)
			continue;
		seen += (double)at[i].l->watched;
		gaps += (double)at[i].l->gaps;
		ticks += (double)at[i].l->gap_ticks;
	}
	seldom = seen - gaps - looks / LOOKS - 1;
	if (l->trips || seldom <= 0 || span <= 0)
		return quick;
	if (looks * WINDOW_NS < SPARE * LOOKS * span * c->p.ns_per_tick)
		return (double)l->watched / span;
	most = (double)l->watched / (ticks + seldom * GAP_MOST_NS / c->p.ns_per_tick);
	return quick < most ? quick : most;
}

/* What two entries of two processes, of such paces, can have taken from each other. */
static double transfers(const struct cross *c, const struct prs_line *a, const struct prs_line *b, double x,
			double y)
{
	uint64_t from = a->first > b->first ? a->first : b->first;
	uint64_t to = a->last < b->last ? a->last : b->last;
	double most = c->p.ns_per_tick / TRANSFER_NS;
	bool writes = a->kind != PRS_KIND_LOAD || b->kind != PRS_KIND_LOAD;

	if (from >= to || !writes)
		return 0;
	x = x < y ? x : y;
	return (double)(to - from) * (x < most ? x : most);
}

static void add_peer(struct prs_line *l, uint32_t thread, double n)
{
	uint32_t add = n < 4e9 ? (uint32_t)n : ~0u, least = 0;

	for (uint32_t i = 0; i < 4; i++) {
		if (!l->peer_count[i] || l->peer[i] == thread) {
			l->peer[i] = thread;
			l->peer_count[i] = l->peer_count[i] > ~0u - add ? ~0u : l->peer_count[i] + add;
			return;
		}
		least = l->peer_count[i] < l->peer_count[least] ? i : least;
	}
	if (l->peer_count[least] < add) {
		l->peer[least] = thread;
		l->peer_count[least] = add;
	}
}

/* Each access takes the line once, whoever had it: no more than @most in all. */
static void set_misses(struct prs_line *l, double most)
{
	double sum = 0, part;

	for (int k = 0; k < 4; k++)
		sum += l->peer_count[k];
	part = sum > most ? most / sum : 1;
	for (int k = 0; k < 4; k++) {
		l->peer_count[k] = (uint32_t)(part * l->peer_count[k]);
		l->misses += l->peer_count[k];
	}
	l->from_modified = l->misses;
}

static void cross_meet(const struct cross *c, const struct entry *at, size_t n)
{
	double *paces = mem_new(n + 1, sizeof(*paces));

	for (size_t i = 0; i < n; i++)
		paces[i] = pace(c, at, n, &at[i]);
	for (size_t i = 0; i < n; i++) {
		struct prs_line *l = at[i].l;

		for (size_t k = 0; k < n; k++) {
			double t = c->of[at[i].thread] == c->of[at[k].thread]
					   ? 0
					   : transfers(c, l, at[k].l, paces[i], paces[k]);

			if (t < 1)
				continue;
			add_peer(l, at[k].thread, t);
		}
		if (l->last > l->first)
			set_misses(l, paces[i] * (double)(l->last - l->first));
	}
	free(paces);
}

static void estimate(struct cross *c)
{
	struct entry *all = mem_new(c->n_lines + 1, sizeof(*all));
	size_t n = 0, to;

	for (uint32_t t = 0; t < c->p.n_threads; t++)
		for (size_t i = 0; i < c->p.threads[t].n_lines; i++, n++) {
			all[n] = (struct entry){(struct prs_line *)c->p.threads[t].lines[i], t};
		}
	if (n)
		qsort(all, n, sizeof(*all), cross_by_line);
	for (size_t from = 0; from < n; from = to) {
		for (to = from + 1; to < n && all[to].l->line == all[from].l->line;)
			to++;
		cross_meet(c, all + from, to - from);
	}
	free(all);
}

static void allocate(struct cross *c, size_t threads, size_t lines)
{
	c->p.threads = mem_new(threads + 1, sizeof(*c->p.threads));
	c->raw = mem_new(threads + 1, sizeof(*c->raw));
	c->of = mem_new(threads + 1, sizeof(struct run_process *));
	c->thread = mem_new(threads + 1, sizeof(*c->thread));
	c->lines = mem_new(lines + 1, sizeof(*c->lines));
}

static struct cross *cross_join(const struct run *run, const struct memories *ms)
{
	struct cross *c = mem_new(1, sizeof(*c));
	size_t threads = 0, units = 0, lines = 0;

	for (size_t i = 0; i < run->n_processes; i++) {
		threads += run->processes[i].n_threads;
		units += run->processes[i].n_units;
		for (size_t k = 0; k < run->processes[i].n_threads; k++)
			lines += run->processes[i].threads[k].n_lines;
	}
	c->header = *run->processes[0].header;
	c->header.n_calls = c->header.n_mems = 0;
	c->p.header = &c->header;
	c->p.ns_per_tick = run->processes[0].ns_per_tick;
	c->p.complete = true;
	allocate(c, threads, lines);
	join_units(c, run, units);
	join_threads(c, run, ms);
	if (c->p.n_threads)
		note_memories(c, run, ms);
	estimate(c);
	return c;
}

struct cross *cross_make(const struct run *run)
{
	struct memories *ms = mem_new(1, sizeof(*ms));
	struct cross *c = NULL;
	bool any = false;

	for (uint32_t i = 0; i < run->n_processes; i++)
		for (size_t k = 0; k < run->processes[i].n_shared; k++)
			add_mapping(ms, &run->processes[i].shared[k], i);
	for (uint32_t k = 0; k < ms->n; k++)
		any |= ms->at[k].several;
	if (any)
		c = cross_join(run, ms);
	free(ms);
	if (c && !c->n_lines) {
		cross_free(c);
		c = NULL;
	}
	return c;
}

void cross_free(struct cross *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->p.n_threads; i++) {
		free(c->p.threads[i].lines);
		free(c->p.threads[i].notes);
	}
	free(c->p.threads);
	free(c->p.units);
	free(c->p.by_call);
	free(c->p.by_mem);
	free(c->raw);
	free(c->raw_units);
	free(c->of);
	free(c->thread);
	free(c->lines);
	free(c);
}
