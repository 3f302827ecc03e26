/* SPDX-License-Identifier: MIT */
#include "analyzer/objects/heap.h"

#include <stdlib.h>

#include "lib/mem.h"
#include "lib/search.h"

#define OVERLAPS 64 /* blocks that are looked at for one that came later than the one found */

/* A note with its place among the notes of its thread: equal times keep that order. */
struct ordered {
	const struct prs_note *note;
	size_t at;
	uint32_t thread;
};

static int by_address_and_time(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->note->address != y->note->address)
		return x->note->address < y->note->address ? -1 : 1;
	if (x->note->tsc != y->note->tsc)
		return x->note->tsc < y->note->tsc ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static struct ordered *heap_collect(const struct run_process *p, size_t *n)
{
	struct ordered *all;

	*n = 0;
	for (size_t t = 0; t < p->n_threads; t++)
		*n += p->threads[t].n_notes;
	all = mem_new(*n + 1, sizeof(*all));
	*n = 0;
	for (size_t t = 0; t < p->n_threads; t++)
		for (size_t i = 0; i < p->threads[t].n_notes; i++) {
			if (!p->threads[t].notes[i].tsc)
				continue; /* withdrawn by the runtime */
			all[*n] = (struct ordered){&p->threads[t].notes[i], *n, (uint32_t)t};
			(*n)++;
		}
	if (*n)
		qsort(all, *n, sizeof(*all), by_address_and_time);
	return all;
}

struct heap_block *heap_blocks(const struct run_process *p, size_t *n)
{
	size_t n_notes;
	struct ordered *all = heap_collect(p, &n_notes);
	struct heap_block *blocks = mem_new(n_notes + 1, sizeof(*blocks));
	uint64_t reach = 0;

	*n = 0;
	for (size_t i = 0; i < n_notes; i++) {
		const struct prs_note *note = all[i].note;
		struct heap_block *b = &blocks[*n];
		/* Whatever comes next at the same address ends the block. */
		bool ends = i + 1 < n_notes && all[i + 1].note->address == note->address;

		if (!note->bytes)
			continue;
		*b = (struct heap_block){.start = note->address, .bytes = note->bytes, .site = note->site};
		b->thread = all[i].thread;
		b->path = 64 * (uint64_t)note->path;
		b->born = note->tsc;
		b->freed = ends ? all[i + 1].note->tsc : UINT64_MAX;
		if (b->bytes > UINT64_MAX - b->start)
			b->bytes = UINT64_MAX - b->start;
		if (b->start + b->bytes > reach)
			reach = b->start + b->bytes;
		b->reach = reach;
		(*n)++;
	}
	free(all);
	return blocks;
}

/* @b held its address at @tick, @other did not, or was there before: a release that nobody noted. */
static bool better(const struct heap_block *b, const struct heap_block *other, uint64_t tick)
{
	bool live = tick < b->freed, other_live = other && tick < other->freed;

	return !other || live > other_live || (live == other_live && b->born > other->born);
}

/* How many blocks begin at no higher address. */
static size_t up_to(const struct heap_block *blocks, size_t n, uint64_t address)
{
	return search_first(n, i, blocks[i].start <= address);
}

uint64_t heap_lives(const struct heap_block *blocks, size_t n, uint64_t address)
{
	uint64_t lives = 0;
	size_t more = OVERLAPS;

	/* One that reaches over many others would have all of these looked at. */
	for (size_t i = up_to(blocks, n, address + 63); i > 0 && more && blocks[i - 1].reach > address; i--) {
		bool there = blocks[i - 1].start + blocks[i - 1].bytes > address;

		lives += there;
		more -= !there;
	}
	return lives;
}

const struct heap_block *heap_find(const struct heap_block *blocks, size_t n, uint64_t address, uint64_t tick)
{
	const struct heap_block *best = NULL;
	size_t more = OVERLAPS;

	/* A note of its release may be stamped before the last access was: else take the latest that was there. */
	for (size_t i = up_to(blocks, n, address); i > 0 && more && blocks[i - 1].reach > address; i--) {
		const struct heap_block *b = &blocks[i - 1];

		more -= best && tick < best->freed;
		if (address - b->start < b->bytes && tick >= b->born && better(b, best, tick))
			best = b;
	}
	return best;
}

const struct rec_call *heap_record(const struct run_thread *t, uint64_t at)
{
	size_t lo = 0, hi = t->n_calls;

	while (at && lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->records[mid].at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return at && lo < t->n_calls && t->records[lo].at == at ? &t->records[lo] : NULL;
}

const struct rec_call *heap_caller(const struct run_process *p, const struct heap_block *b)
{
	return heap_record(&p->threads[b->thread], b->path);
}
