/* SPDX-License-Identifier: MIT */
#include "analyzer/objects/learned.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/heap.h"
#include "analyzer/objects/names.h"
#include "analyzer/objects/origin.h"
#include "lib/mem.h"
#include "perseus/abi.h"

#define LINE_BYTES (1u << PRS_LINE_SHIFT)

bool learned_tells(const struct run_mem_site *site)
{
	return site && name_known(site->type) && strncmp(site->type, "std::", 5);
}

struct object_type *learned_type(const struct objects *os, const void *ident)
{
	for (size_t i = 0; i < os->n_learned; i++)
		if (os->learned[i].ident == ident)
			return &os->learned[i];
	return NULL;
}

/* An access to bytes @mask of the line at @line shows where the struct begins in block @b. */
static void learn_begin(struct object_type *l, const struct heap_block *b, uint64_t line,
			const struct run_mem_site *site, uint64_t mask)
{
	uint64_t size = l->type->bytes, at = line + (uint64_t)__builtin_ctzll(mask | 1ull << 63), begin;

	if (!name_known(site->field) || strchr(site->field, '[') || !mask ||
	    __builtin_popcountll(mask) != (int)site->bytes || at < b->start + site->offset)
		return;
	begin = at - b->start - site->offset;
	if (begin + size > b->bytes)
		return;
	if (!l->placed)
		l->first = l->last = begin;
	l->torn |= begin > l->first ? (begin - l->first) % size : (l->first - begin) % size;
	l->placed = true;
	l->first = begin < l->first ? begin : l->first;
	l->last = begin > l->last ? begin : l->last;
}

void learned_add(struct objects *os, uint64_t line, uint64_t tick, const struct run_mem_site *site,
		 uint64_t mask)
{
	struct object_type *l;

	const struct run_type *type = learned_tells(site) ? run_type(os->run, site->type) : NULL;
	const struct run_call_site *alloc;
	const struct heap_block *b = NULL;

	for (uint64_t a = line; type && !b && a < line + LINE_BYTES; a += 16)
		b = heap_find(os->blocks, os->n_blocks, a, tick);
	alloc = b ? run_call_site(os->p, b->site) : NULL;
	if (alloc && run_site_is_frame(alloc))
		return;
	if (alloc)
		alloc = origin_call(os->p, b);
	if (!alloc || origin_says_type(alloc) || !type->bytes || type->bytes > b->bytes)
		return;
	l = learned_type(os, alloc);
	if (!l) {
		os->learned = mem_resize(os->learned, os->n_learned + 1, sizeof(*os->learned));
		l = &os->learned[os->n_learned++];
		*l = (struct object_type){.ident = alloc, .type = type};
	} else if (type->bytes > l->type->bytes) {
		*l = (struct object_type){.ident = alloc, .type = type};
	}
	if (l->type == type)
		learn_begin(l, b, line, site, mask);
}

bool learned_place(struct object *o, const struct object_type *l, bool pages, uint64_t *bytes)
{
	uint64_t size;

	if (!l || !l->placed || l->torn)
		return false;
	size = l->type->bytes;
	if (l->first == l->last && (pages || l->first % size)) {
		o->offset = l->first;
		*bytes = size;
		return true;
	}
	o->offset = l->first % size;
	if (pages)
		*bytes = l->last + size - o->offset;
	else
		*bytes -= o->offset;
	return pages || o->offset;
}

/* Bytes from the start of the block to the last that some thread was seen to use. */
static uint64_t used_bytes(const struct objects *os, const struct heap_block *b)
{
	uint64_t most = 0;

	for (size_t i = 0; i < os->p->n_threads; i++)
		for (size_t k = 0; k < os->p->threads[i].n_lines; k++) {
			const struct prs_line *l = os->p->threads[i].lines[k];
			uint64_t mask = l->read_mask | l->write_mask, at = l->line << PRS_LINE_SHIFT;
			uint64_t n = mask ? 64 - (uint64_t)__builtin_clzll(mask) : 1;

			if (at - b->start < b->bytes && at - b->start + n > most)
				most = at - b->start + n;
		}
	return most;
}

bool learned_maps(const struct run_call_site *alloc)
{
	return alloc && (!strcmp(alloc->callee, "mmap") || !strcmp(alloc->callee, "mmap64"));
}

uint64_t learned_mapped_bytes(const struct objects *os, const struct heap_block *b, const char *type)
{
	const struct run_type *t = name_known(type) ? run_type(os->run, type) : NULL;

	return t && t->bytes && used_bytes(os, b) <= t->bytes ? t->bytes : b->bytes;
}
