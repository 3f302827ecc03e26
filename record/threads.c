/* SPDX-License-Identifier: MIT */
/* What belongs to one thread: calls, log, events, waits, lines, notes, counters. */
#include <stdlib.h>
#include <string.h>

#include "lib/search.h"
#include "perseus/abi.h"
#include "record/parts.h"

/* Entries of one type per thread, counted first so that each array is allocated once. */
struct tally {
	uint64_t calls, log, events, lines, notes, waits;
	uint64_t short_lines; /* of `lines`: as they were before minor 4 */
};

/* The tally entry for @type, NULL for types that belong to no thread. */
static uint64_t *tally_of(struct tally *t, uint16_t type)
{
	switch (type) {
	case PRS_CHUNK_CALL:
		return &t->calls;
	case PRS_CHUNK_LOG:
		return &t->log;
	case PRS_CHUNK_EVENT:
		return &t->events;
	case PRS_CHUNK_LINE:
		return &t->lines;
	case PRS_CHUNK_NOTE:
		return &t->notes;
	case PRS_CHUNK_WAIT:
		return &t->waits;
	default:
		return NULL;
	}
}

static void count_per_thread(struct run_process *p, const struct chunk_list *chunks, struct tally *tally)
{
	for (size_t i = 0; i < chunks->n; i++) {
		const struct chunk_ref *c = &chunks->at[i];
		struct tally none = {0}, *t = c->thread < p->n_threads ? &tally[c->thread] : &none;
		uint64_t *n = tally_of(t, c->type);

		if (n && t == &none && c->used)
			process_damage(p, "the chunk at byte %llu belongs to thread %u, which is missing",
				       (unsigned long long)c->offset, c->thread);
		else if (n && t != &none)
			*n += c->used;
		if (c->type == PRS_CHUNK_LINE && c->stride < sizeof(struct prs_line))
			t->short_lines += c->used;
	}
}

static void allocate(struct run_process *p, const struct tally *tally)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		struct run_thread *t = &p->threads[i];

		t->records = mem_new(tally[i].calls + 1, sizeof(*t->records));
		t->totals = mem_new(tally[i].calls + 1, sizeof(*t->totals));
		t->log = mem_new(tally[i].log + 1, sizeof(*t->log));
		t->events = mem_new(tally[i].events + 1, sizeof(*t->events));
		t->lines = mem_new(tally[i].lines + 1, sizeof(*t->lines));
		if (tally[i].short_lines)
			t->line_copies = mem_new(tally[i].short_lines, sizeof(*t->line_copies));
		t->notes = mem_new(tally[i].notes + 1, sizeof(*t->notes));
		t->waits = mem_new(tally[i].waits + 1, sizeof(*t->waits));
	}
}

static void clean_site(uint32_t *site, uint32_t n)
{
	if (*site >= n)
		*site = PRS_NO_SITE;
}

static void add_log(struct run_process *p, struct run_thread *t, const struct prs_log *log)
{
	if (log->site >= p->header->n_calls) {
		process_damage(p, "a block log entry names site %u of %u", log->site, p->header->n_calls);
		return;
	}
	t->log[t->n_log++] = *log;
}

static void add_event(struct run_process *p, struct run_thread *t, const struct prs_event *e)
{
	struct prs_event *to = &t->events[t->n_events++];

	*to = *e;
	clean_site(&to->site, p->header->n_calls);
	if (to->other >= p->n_threads)
		to->other = PRS_NO_THREAD;
	if (to->end < to->begin) {
		process_damage(p, "an event ends before it begins");
		to->end = to->begin;
	}
}

/* The path of an entry, if it is that of a call record. */
static uint64_t clean_path(const struct run_process *p, uint64_t path)
{
	return path % 64 || path < PRS_PAGE_BYTES || path >= p->map_bytes ? 0 : path;
}

/* The entry to change: what an older recorder did not write is 0 in a copy. */
static struct prs_line *own_line(struct run_thread *t, const struct chunk_ref *c, const struct prs_line *l)
{
	struct prs_line *own = (struct prs_line *)(uintptr_t)l;

	if (c->stride >= sizeof(*l))
		return own;
	own = &t->line_copies[t->n_line_copies++];
	memcpy(own, l, c->stride);
	return own;
}

static void add_line(struct run_process *p, struct run_thread *t, const struct chunk_ref *c,
		     const struct prs_line *l)
{
	struct prs_line *own;

	if (!l->line)
		return;
	if (l->site >= p->header->n_mems || l->kind > PRS_KIND_ATOMIC) {
		process_damage(p, "a line record names memory site %u of %u, kind %u", l->site,
			       p->header->n_mems, l->kind);
		return;
	}
	own = own_line(t, c, l);
	for (int i = 0; i < 4; i++)
		if (own->peer[i] >= p->n_threads)
			own->peer[i] = PRS_NO_THREAD;
	own->path = clean_path(p, own->path);
	t->lines[t->n_lines++] = own;
}

static void add_note(struct run_process *p, struct run_thread *t, const struct prs_note *n)
{
	struct prs_note *own = &t->notes[t->n_notes++];

	*own = *n;
	clean_site(&own->site, p->header->n_calls);
	own->path = (uint32_t)(clean_path(p, (uint64_t)n->path * 64) / 64);
}

static void add_entry(struct run_process *p, struct run_thread *t, const struct chunk_ref *c,
		      const void *entry)
{
	switch (c->type) {
	case PRS_CHUNK_CALL:
		calls_add(p, t, c, entry);
		break;
	case PRS_CHUNK_LOG:
		add_log(p, t, entry);
		break;
	case PRS_CHUNK_EVENT:
		add_event(p, t, entry);
		break;
	case PRS_CHUNK_LINE:
		add_line(p, t, c, entry);
		break;
	case PRS_CHUNK_NOTE:
		add_note(p, t, entry);
		break;
	case PRS_CHUNK_WAIT:
		waits_add(p, t, entry);
		break;
	default:
		break;
	}
}

static int by_log_end(const void *a, const void *b)
{
	const struct prs_log *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (y->depth > x->depth) - (y->depth < x->depth); /* the inner one ended first */
}

static int by_event_end(const void *a, const void *b)
{
	const struct prs_event *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The bytes of a thread's BLOCK chunk behind its chunk header; NULL: it has none. */
static const unsigned char *find_block(const struct run_process *p, const struct chunk_list *chunks,
				       const struct run_thread *t, uint64_t *bytes)
{
	size_t lo = search_first(chunks->n, i, chunks->at[i].offset < t->raw->block);

	if (lo == chunks->n || chunks->at[lo].offset != t->raw->block ||
	    chunks->at[lo].type != PRS_CHUNK_BLOCK)
		return NULL;
	*bytes = chunks->at[lo].bytes - sizeof(struct prs_chunk);
	return (const unsigned char *)p->map + chunks->at[lo].offset + sizeof(struct prs_chunk);
}

/*
 * Memory counters by process-wide number.  @budget is what may still be
 * allocated: real counters lie in the file, so a file that asks for more
 * than a multiple of its size is lying.
 */
static const uint64_t *gather_counters(struct run_process *p, const unsigned char *block, uint64_t bytes,
				       uint64_t *budget)
{
	uint32_t n = p->header->n_mems;
	uint64_t *counts;

	if (!block || !n || p->header->purpose != PRS_PURPOSE_SHARING || p->header->minor >= 2)
		return NULL;
	if (n > *budget / 8) {
		process_damage(p, "%u memory counters do not fit into a record of %zu bytes", n,
			       p->map_bytes);
		return NULL;
	}
	*budget -= 8 * (uint64_t)n;
	counts = mem_new(n, sizeof(*counts));
	for (size_t i = 0; i < p->n_units; i++) {
		const struct prs_unit *u = p->units[i].raw;

		if (u->n_mems && u->mem_base && chunk_holds(u->mem_base, u->n_mems, bytes))
			memcpy(counts + u->first_mem, block + u->mem_base, 8 * (uint64_t)u->n_mems);
	}
	return counts;
}

/* The block that belongs to no thread holds the sums of ended ones. */
static void gather_exited(struct run_process *p, const struct chunk_list *chunks, uint64_t *budget)
{
	for (size_t i = 0; i < chunks->n && !p->exited_counts; i++) {
		const struct chunk_ref *c = &chunks->at[i];

		if (c->type == PRS_CHUNK_BLOCK && c->thread == PRS_NO_THREAD)
			p->exited_counts = gather_counters(p, chunk_entry(p, c, 0),
							   c->bytes - sizeof(struct prs_chunk), budget);
	}
}

static void finish_thread(struct run_process *p, struct run_thread *t, const struct chunk_list *chunks,
			  uint64_t *budget)
{
	const unsigned char *block;
	uint64_t bytes = 0;

	qsort(t->log, t->n_log, sizeof(*t->log), by_log_end);
	qsort(t->events, t->n_events, sizeof(*t->events), by_event_end);
	block = t->raw->block ? find_block(p, chunks, t, &bytes) : NULL;
	calls_finish(p, t, block, bytes);
	t->mem_counts = gather_counters(p, block, bytes, budget);
}

void gather_threads(struct run_process *p, const struct chunk_list *chunks, const struct image *sums)
{
	struct tally *tally = mem_new(p->n_threads + 1, sizeof(*tally));
	uint64_t budget = 16 * (uint64_t)p->map_bytes;

	count_per_thread(p, chunks, tally);
	allocate(p, tally);
	for (size_t i = 0; i < chunks->n; i++) {
		const struct chunk_ref *c = &chunks->at[i];

		for (uint64_t k = 0; c->thread < p->n_threads && k < c->used; k++)
			add_entry(p, &p->threads[c->thread], c, chunk_entry(p, c, k));
	}
	sums_merge(p, sums);
	for (size_t i = 0; i < p->n_threads; i++)
		finish_thread(p, &p->threads[i], chunks, &budget);
	gather_exited(p, chunks, &budget);
	free(tally);
}
