/* SPDX-License-Identifier: MIT */
/* What happened to the pages round the findings: from the trace, or from the bounded record. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/lines/lines.h"
#include "lib/mem.h"
#include "perseus/abi.h"
#include "record/blocks/ctf.h"
#include "report/page/memory.h"

#define PAIRS_MAX 1024u
#define USES_MAX  16384u /* threads times lines */

/* Who came to a line. */
struct visit {
	uint32_t thread, site, at;
	bool some;
};

/* A line of memory: who wrote it last, and the last two that read it since, but for that thread. */
struct cached {
	struct visit writer, readers[2];
	uint32_t before; /* the thread that came last */
	uint64_t have;   /* bit thread % 64: it has come to the line since it was written */
};

/* The place where one stream is read. */
struct stream {
	struct ctf_cursor cursor;
	const uint64_t *unit;
	size_t n, i;
	uint32_t thread;
	uint64_t ticks, address, left; /* the access at hand, of which `left` bytes are not done */
	uint32_t line, site;
	uint8_t kind;
	bool open;
};

/* Which use a line and a thread have. */
struct use_key {
	uint32_t line, thread, use; /* use: 1 + its number, 0: the place is free */
};

struct reader {
	const struct memory_places *m;
	struct memory_story *story;
	struct memory_choice choice;
	struct cached *cached;  /* by line */
	struct use_key *use_of; /* hash of (line, thread) */
	uint64_t **fights;      /* by finding: sorted pairs of threads */
	size_t *n_fights;
	struct stream *streams; /* a heap by ticks */
	struct stream **heap;
	size_t n_heap;
	uint64_t seq;
};

/* ---- sums --------------------------------------------------------------------------------------- */

#define HASH (4 * USES_MAX)

/* NULL: there are too many. */
static struct memory_use *use_of(struct reader *r, uint32_t line, uint32_t thread)
{
	struct memory_story *s = r->story;
	size_t at = (line * 2654435761u ^ thread * 40503u) % HASH;

	for (;; at = (at + 1) % HASH) {
		struct use_key *key = &r->use_of[at];
		struct memory_use *u;

		if (key->use && key->line == line && key->thread == thread)
			return &s->uses.at[key->use - 1];
		if (key->use)
			continue;
		if (s->uses.n == USES_MAX)
			return NULL;
		u = vec_add(&s->uses);
		u->line = line;
		u->thread = thread;
		*key = (struct use_key){line, thread, (uint32_t)s->uses.n};
		return u;
	}
}

static uint32_t bin_of(const struct memory_story *s, uint64_t ns)
{
	double at = s->span_ns ? (double)ns / (double)s->span_ns * MEMORY_BINS : 0;

	return at < MEMORY_BINS ? (uint32_t)at : MEMORY_BINS - 1;
}

static uint32_t clip(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Part @i of @n when @all is dealt evenly. */
static uint32_t part(uint64_t all, uint32_t i, uint32_t n)
{
	return clip((uint64_t)((double)all * (i + 1) / n) - (uint64_t)((double)all * i / n));
}

static void spread(struct memory_story *s, struct memory_use *u, const struct run_process *p,
		   const struct prs_line *l)
{
	uint32_t from = bin_of(s, run_ns(p, l->first));
	uint32_t to = bin_of(s, run_ns(p, l->last > l->first ? l->last : l->first));
	uint64_t seen = l->misses + l->watched + l->trips;

	for (uint32_t b = from; b <= to; b++) {
		if (l->kind != PRS_KIND_STORE)
			u->reads[b] += part(seen, b - from, to - from + 1);
		if (l->kind != PRS_KIND_LOAD)
			u->writes[b] += part(seen, b - from, to - from + 1);
		u->moves[b] += part(prs_line_moves(l), b - from, to - from + 1);
	}
}

static void read_record(struct reader *r)
{
	const struct run_process *p = r->m->p;

	for (uint32_t t = 0; t < p->n_threads; t++)
		for (size_t i = 0; i < p->threads[t].n_lines; i++) {
			const struct prs_line *l = p->threads[t].lines[i];
			uint32_t line = memory_line_at(r->m, l->line << PRS_LINE_SHIFT);
			struct memory_use *u = line == UINT32_MAX ? NULL : use_of(r, line, t);

			if (u)
				spread(r->story, u, p, l);
		}
}

/* ---- one access --------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static uint64_t both(uint32_t a, uint32_t b)
{
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static void note_fights(struct reader *r)
{
	r->fights = mem_new(r->m->n_findings + 1, sizeof(*r->fights));
	r->n_fights = mem_new(r->m->n_findings + 1, sizeof(*r->n_fights));
	for (size_t i = 0; i < r->m->n_findings; i++) {
		const struct sharing_finding *f = r->m->findings[i];

		r->n_fights[i] = f->n_pairs;
		r->fights[i] = mem_new(f->n_pairs + 1, sizeof(**r->fights));
		for (size_t k = 0; k < f->n_pairs; k++)
			r->fights[i][k] = both(f->pairs[k].a.thread, f->pairs[k].b.thread);
		qsort(r->fights[i], f->n_pairs, sizeof(**r->fights), by_value);
	}
}

/* Number of the pair of fields in conflict, made if it is new; 0: too many. */
static uint32_t pair_of(struct memory_story *s, uint32_t finding, uint32_t a, uint32_t b)
{
	struct memory_pair new = {.finding = finding, .a = a < b ? a : b, .b = a < b ? b : a};

	for (uint32_t i = 0; i < s->pairs.n; i++)
		if (s->pairs.at[i].finding == finding && s->pairs.at[i].a == new.a &&
		    s->pairs.at[i].b == new.b)
			return i + 1;
	if (s->pairs.n == PAIRS_MAX)
		return 0;
	vec_push(&s->pairs, new);
	return (uint32_t)s->pairs.n;
}

/*
 * Whose access took the line away from the thread of @e, or loses it to a write of that thread;
 * NULL: nobody's, the line is at hand.
 */
static const struct visit *rival_of(const struct memory_event *e, const struct cached *c)
{
	if (c->writer.some && c->writer.thread != e->thread && !(c->have >> e->thread % 64 & 1))
		return &c->writer;
	for (int i = 0; i < 2 && e->kind != PRS_KIND_LOAD; i++)
		if (c->readers[i].some && c->readers[i].thread != e->thread)
			return &c->readers[i];
	return NULL;
}

/* Fill what @e has of a conflict, if @v is the other side and a finding of the line has these threads. */
static void set_rival(struct reader *r, struct memory_event *e, const struct visit *v)
{
	uint32_t finding = r->m->finding_of[e->at / 64];
	uint64_t key = both(e->thread, v->thread);

	if (!finding ||
	    !bsearch(&key, r->fights[finding - 1], r->n_fights[finding - 1], sizeof(key), by_value))
		return;
	e->pair = pair_of(r->story, finding - 1u, r->m->field_of[e->at], r->m->field_of[v->at]);
	if (!e->pair)
		return;
	r->story->pairs.at[e->pair - 1].count++;
	e->rival = v->thread;
	e->rival_site = v->site;
	e->rival_at = v->at;
}

static void touch(struct cached *c, const struct memory_event *e)
{
	struct visit v = {e->thread, e->site, e->at, true};

	c->before = e->thread;
	if (e->kind != PRS_KIND_LOAD) {
		*c = (struct cached){.writer = v, .before = e->thread, .have = 1ull << e->thread % 64};
		return;
	}
	c->have |= 1ull << e->thread % 64;
	if (c->writer.some && c->writer.thread == e->thread)
		return;
	if (c->readers[0].some && c->readers[0].thread != e->thread)
		c->readers[1] = c->readers[0];
	c->readers[0] = v;
}

static void add_event(struct reader *r, const struct stream *st)
{
	struct memory_event e = {.seq = r->seq++,
				 .ns = run_ns(r->m->p, st->ticks),
				 .thread = st->thread,
				 .site = st->site,
				 .at = st->line * 64 + (uint32_t)(st->address & 63),
				 .rival = r->cached[st->line].before,
				 .kind = st->kind};
	uint64_t room = 64 - (st->address & 63);
	struct memory_use *u = use_of(r, st->line, st->thread);
	uint32_t bin = bin_of(r->story, e.ns);
	const struct visit *rival = rival_of(&e, &r->cached[st->line]);

	if (rival)
		set_rival(r, &e, rival);
	e.bytes = (uint8_t)(st->left < room ? st->left : room);
	touch(&r->cached[st->line], &e);
	if (u && st->kind != PRS_KIND_STORE)
		u->reads[bin]++;
	if (u && st->kind != PRS_KIND_LOAD)
		u->writes[bin]++;
	if (u)
		u->moves[bin] += rival != NULL;
	memory_choice_add(&r->choice, &e);
}

/* ---- streams ---------------------------------------------------------------------------------------- */

static void note_damage(struct memory_story *s, const char *text)
{
	if (!s->damage && text && *text)
		s->damage = mem_strdup(text);
}

static void read_unit(struct reader *r, struct stream *st, const uint64_t *unit)
{
	uint32_t access = (uint32_t)(unit[1] >> 32);

	if (ctf_class(unit) == PRS_CLASS_NOTE && access == PRS_TRACE_GAP) {
		r->story->gaps++;
		return;
	}
	if (ctf_class(unit) != PRS_CLASS_MEMORY)
		return;
	st->ticks = ctf_time(unit);
	st->address = unit[2] & PRS_VALUE_MASK;
	st->site = (uint32_t)unit[1];
	st->kind = PRS_ACCESS_KIND(access);
	st->left = access & PRS_ACCESS_PARTS ? PRS_PARTS_BYTES(access) : PRS_ACCESS_BYTES(access);
	st->left = st->left ? st->left : 1;
}

/* The next part of an access in one line of the pages; false: no more. */
static bool next_access(struct reader *r, struct stream *st)
{
	for (;;) {
		while (st->left) {
			st->line = memory_line_at(r->m, st->address);
			if (st->line != UINT32_MAX)
				return true;
			st->left -= st->left < 64 - (st->address & 63) ? st->left : 64 - (st->address & 63);
			st->address = (st->address | 63) + 1;
		}
		if (st->i == st->n) {
			st->n = ctf_read(&st->cursor, &st->unit);
			st->i = 0;
			if (!st->n)
				return false;
		}
		read_unit(r, st, st->unit + 2 * st->i);
		st->i += ctf_units(st->unit + 2 * st->i);
	}
}

static bool earlier(const struct stream *x, const struct stream *y)
{
	return x->ticks != y->ticks ? x->ticks < y->ticks : x->thread < y->thread;
}

static void sink(struct reader *r, size_t at)
{
	for (;;) {
		size_t least = at;

		for (size_t k = 2 * at + 1; k <= 2 * at + 2 && k < r->n_heap; k++)
			if (earlier(r->heap[k], r->heap[least]))
				least = k;
		if (least == at)
			return;
		struct stream *t = r->heap[at];

		r->heap[at] = r->heap[least];
		r->heap[least] = t;
		at = least;
	}
}

/* Merge the streams by time. */
static void merge(struct reader *r)
{
	for (size_t i = r->n_heap; i-- > 0;)
		sink(r, i);
	while (r->n_heap) {
		struct stream *st = r->heap[0];
		uint64_t done = 64 - (st->address & 63);

		add_event(r, st);
		st->left -= st->left < done ? st->left : done;
		st->address += done;
		if (!next_access(r, st))
			r->heap[0] = r->heap[--r->n_heap];
		sink(r, 0);
	}
}

static void open_streams(struct reader *r, const struct ctf *ctf)
{
	const struct prs_rec_header *h = r->m->p->header;
	struct err err = ERR_INIT;

	r->streams = mem_new(ctf->n_streams + 1, sizeof(*r->streams));
	r->heap = mem_new(ctf->n_streams + 1, sizeof(struct stream *));
	for (size_t i = 0; i < ctf->n_streams; i++) {
		const struct ctf_stream *of = &ctf->streams[i];
		struct stream *st = &r->streams[i];

		if (of->pid != h->pid || of->epoch != h->epoch || of->thread >= r->m->p->n_threads)
			continue;
		st->thread = of->thread;
		st->open = true;
		if (ctf_cursor_open(&st->cursor, ctf, of, &err))
			note_damage(r->story, "a stream of it cannot be opened");
		else if (next_access(r, st))
			r->heap[r->n_heap++] = st;
	}
}

static void close_streams(struct reader *r, const struct ctf *ctf)
{
	for (size_t i = 0; i < ctf->n_streams; i++) {
		struct stream *st = &r->streams[i];

		if (!st->open)
			continue;
		r->story->lost += st->cursor.discarded;
		note_damage(r->story, st->cursor.damage);
		ctf_cursor_close(&st->cursor);
	}
	free(r->streams);
	free(r->heap);
}

/* False: there is no trace, or none with accesses. */
static bool read_trace(struct reader *r)
{
	struct err err = ERR_INIT;
	struct ctf ctf;
	int ret = ctf_open(&ctf, r->m->run->path, &err);

	if (ret) {
		if (ret != -ENOENT)
			note_damage(r->story, err.msg);
		return false;
	}
	if (strcmp(ctf.state, "complete"))
		note_damage(r->story, "the recorder did not end it");
	note_damage(r->story, ctf.unreadable);
	r->cached = mem_new(r->m->n_pages * MEMORY_PAGE_LINES + 1, sizeof(*r->cached));
	note_fights(r);
	memory_choice_start(&r->choice, r->story, MEMORY_EVENTS, MEMORY_WINDOW);
	open_streams(r, &ctf);
	merge(r);
	close_streams(r, &ctf);
	memory_choice_end(&r->choice);
	ctf_close(&ctf);
	for (size_t i = 0; i < r->m->n_findings; i++)
		free(r->fights[i]);
	free(r->fights);
	free(r->n_fights);
	free(r->cached);
	return r->seq > 0;
}

static int by_line(const void *a, const void *b)
{
	const struct memory_use *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

void memory_story_make(struct memory_story *s, const struct memory_places *m)
{
	struct reader r = {.m = m, .story = s};
	const struct run_process *p = m->p;

	*s = (struct memory_story){.traced = false};
	if (!p)
		return;
	s->span_ns = p->end > p->header->tsc_start ? run_span_ns(p, p->end - p->header->tsc_start) : 0;
	r.use_of = mem_new(HASH, sizeof(*r.use_of));
	s->traced = read_trace(&r);
	if (!s->traced)
		read_record(&r);
	if (s->uses.n)
		qsort(s->uses.at, s->uses.n, sizeof(*s->uses.at), by_line);
	free(r.use_of);
}

void memory_story_release(struct memory_story *s)
{
	vec_release(&s->uses);
	vec_release(&s->events);
	vec_release(&s->pairs);
	free(s->damage);
	*s = (struct memory_story){0};
}
