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

static bool known(const char *s)
{
	return s && *s && strcmp(s, "-");
}

bool learned_tells(const struct run_mem_site *site)
{
	return site && known(site->type) && strncmp(site->type, "std::", 5);
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

	if (!known(site->field) || strchr(site->field, '[') || !mask ||
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

/* Is field @site at byte @at of objects of @type, the first of which begins at 0? */
static bool at_home(const struct run_type *type, uint64_t at, const struct run_mem_site *site)
{
	struct run_field_place p;
	size_t all, len = strlen(site->field);

	if (at < type->bytes)
		return true;
	/* A member without a bound is none of the layout. */
	if (!strcmp(type->name, site->type)) {
		for (size_t i = 0; i < type->n_fields; i++)
			if (run_field_is(&type->fields[i], site->field))
				return true;
		return false;
	}
	if (run_field_at(type, at % type->bytes, site->bytes, site->field, &p))
		return false;
	all = strlen(p.name);
	return run_field_is(p.field, site->field) || (all >= len && !strcmp(p.name + all - len, site->field));
}

/*
 * A header and an array behind it in one block: the type that the allocation tells is the
 * header's, and what lies behind is no second one.
 */
static void learn_mixed(struct objects *os, uint64_t at, uint64_t tick, const struct run_mem_site *site)
{
	const struct heap_block *b = heap_find(os->blocks, os->n_blocks, at, tick);
	const struct run_call_site *alloc = b ? run_call_site(os->p, b->site) : NULL;
	const struct run_type *type;
	char *held;

	alloc = alloc && !run_site_is_frame(alloc) ? origin_call(os->p, b) : NULL;
	if (!alloc || !origin_says_type(alloc) || !known(site->field) || learned_type(os, alloc))
		return;
	type = run_type(os->run, alloc->alloc_type);
	held = name_of_shared(alloc->alloc_type);
	free(held);
	if (held || !type || !type->bytes || b->bytes <= type->bytes || at < b->start + alloc->alloc_skip ||
	    at_home(type, at - b->start - alloc->alloc_skip, site))
		return;
	os->learned = mem_resize(os->learned, os->n_learned + 1, sizeof(*os->learned));
	os->learned[os->n_learned++] = (struct object_type){.ident = alloc, .type = type, .mixed = true};
}

void learned_add(struct objects *os, uint64_t line, uint64_t tick, const struct run_mem_site *site,
		 uint64_t mask)
{
	struct object_type *l;

	const struct run_type *type = learned_tells(site) ? run_type(os->run, site->type) : NULL;
	const struct run_call_site *alloc;
	const struct heap_block *b = NULL;

	if (type && mask)
		learn_mixed(os, line + (uint64_t)__builtin_ctzll(mask), tick, site);
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
