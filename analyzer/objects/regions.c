/* SPDX-License-Identifier: MIT */
#include "analyzer/objects/regions.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/heap.h"
#include "analyzer/objects/learned.h"
#include "analyzer/objects/names.h"
#include "analyzer/objects/origin.h"
#include "lib/mem.h"
#include "lib/vec.h"

/* Of a type with so many fields the table need not have all. */
#define FIELDS_MANY 250u

/* What a block goes by. */
struct owner {
	const struct run_call_site *ident;
	const struct run_type *type;
	uint64_t skip; /* where the first one begins */
	bool said;     /* by the allocation, else by accesses */
};

static bool shared_count(const char *type)
{
	char *held = name_of_shared(type);

	free(held);
	return held != NULL;
}

bool regions_open(const struct run_type *type)
{
	for (size_t i = 0; i < type->n_fields; i++)
		if (strstr(type->fields[i].name, "[]"))
			return true;
	return false;
}

static bool owner_of(const struct objects *os, const struct heap_block *b, struct owner *out)
{
	const struct run_call_site *call = run_call_site(os->p, b->site);
	const struct object_type *l;

	if (!call || run_site_is_frame(call))
		return false;
	out->ident = origin_call(os->p, b);
	out->said = out->ident && origin_says_type(out->ident);
	if (!out->ident)
		return false;
	l = out->said ? NULL : learned_type(os, out->ident);
	out->type = out->said ? run_type(os->run, out->ident->alloc_type) : l ? l->type : NULL;
	out->skip = out->said ? out->ident->alloc_skip : l && l->placed ? l->first % l->type->bytes : 0;
	return out->type && out->type->bytes && out->type->bytes < b->bytes &&
	       !shared_count(out->type->name) && !(l && l->torn);
}

/* Is the field that @site names where objects of @type, side by side, have one of its name, or plain bytes? */
static bool at_home(const struct run_type *type, uint64_t at, const struct run_mem_site *site)
{
	struct run_field_place p;
	size_t all, len = strlen(site->field);

	if (type->n_fields >= FIELDS_MANY || !strcmp(type->name, site->type))
		return true;
	if (run_field_at(type, regions_open(type) ? at : at % type->bytes, site->bytes, site->field, &p))
		return false;
	all = strlen(p.name);
	return (p.bytes == 1 && strchr(p.name, '[')) || run_field_is(p.field, site->field) ||
	       (all >= len && !strcmp(p.name + all - len, site->field));
}

static struct object_region *region_of(struct objects *os, const struct owner *own,
				       const struct run_type *type)
{
	for (size_t i = 0; i < os->regions.n; i++)
		if (os->regions.at[i].ident == own->ident && os->regions.at[i].type == type)
			return &os->regions.at[i];
	vec_push(&os->regions,
		 ((struct object_region){.ident = own->ident, .type = type, .own = type == own->type}));
	return &os->regions.at[os->regions.n - 1];
}

static void add_begin(struct object_region *r, uint64_t begin)
{
	uint64_t size = r->type->bytes;

	if (!r->placed)
		r->first = r->last = begin;
	r->torn |= (begin > r->first ? begin - r->first : r->first - begin) % size != 0;
	r->placed = true;
	r->first = begin < r->first ? begin : r->first;
	r->last = begin > r->last ? begin : r->last;
}

/* Bytes in a row at the lower end of @mask. */
static unsigned run_of(uint64_t mask)
{
	uint64_t rest = mask >> __builtin_ctzll(mask);

	return ~rest ? (unsigned)__builtin_ctzll(~rest) : 64;
}

void regions_add(struct objects *os, uint64_t line, uint64_t tick, const struct run_mem_site *site,
		 uint64_t mask)
{
	const struct run_type *type = mask && learned_tells(site) ? run_type(os->run, site->type) : NULL;
	uint64_t address = line + (uint64_t)__builtin_ctzll(mask | 1ull << 63), at;
	const struct heap_block *b;
	struct owner own;

	if (!type || !type->bytes || !name_known(site->field) || strchr(site->field, '[') ||
	    run_of(mask) < site->bytes)
		return;
	b = heap_find(os->blocks, os->n_blocks, address, tick);
	if (!b || !owner_of(os, b, &own) || address < b->start + site->offset)
		return;
	at = address - b->start;
	if (at - site->offset + type->bytes > b->bytes)
		return;
	if (type == own.type || at < own.skip || !at_home(own.type, at - own.skip, site))
		add_begin(region_of(os, &own, type), at - site->offset);
}

static bool overlap(const struct object_region *x, const struct object_region *y)
{
	return x->first < y->last + y->type->bytes && y->first < x->last + x->type->bytes;
}

/* The region has a place of its own: what a larger type covers, or the owner's, is part of that. */
static bool usable(const struct objects *os, const struct object_region *r, const struct owner *own)
{
	struct object_region begin = {.type = own->type, .first = own->skip, .last = own->skip};

	if (r->ident != own->ident || r->own || !r->placed || r->torn || (own->said && overlap(r, &begin)))
		return false;
	for (size_t i = 0; i < os->regions.n; i++) {
		const struct object_region *x = &os->regions.at[i];

		if (x != r && x->ident == r->ident && x->placed && overlap(r, x) &&
		    (x->own || x->type->bytes >= r->type->bytes))
			return false;
	}
	return true;
}

static const struct object_region *own_region(const struct objects *os, const struct owner *own)
{
	for (size_t i = 0; i < os->regions.n; i++)
		if (os->regions.at[i].ident == own->ident && os->regions.at[i].own)
			return &os->regions.at[i];
	return NULL;
}

/* An array behind what the allocation says begins right there, and ends with the block. */
static void place_behind(struct region_place *out, const struct owner *own, const struct object_region *o,
			 const struct heap_block *b)
{
	uint64_t end = (o ? o->last : own->skip) + own->type->bytes;

	out->offset = end + (out->offset - end) % out->type->bytes;
	out->bytes = b->bytes - out->offset;
	out->numbered = true;
}

void regions_find(const struct objects *os, const struct heap_block *b, uint64_t at, struct region_place *out)
{
	const struct object_region *o, *in = NULL, *r;
	struct owner own;
	bool behind;
	size_t n = 0;

	*out = (struct region_place){.number = SIZE_MAX};
	if (!os->regions.n || !owner_of(os, b, &own))
		return;
	o = own_region(os, &own);
	for (size_t i = 0; i < os->regions.n; i++) {
		r = &os->regions.at[i];
		if (!usable(os, r, &own))
			continue;
		n++;
		if (!in || (at >= r->first && (r->first > in->first || at < in->first)))
			in = r;
	}
	if (!n)
		return;
	*out = (struct region_place){.number = 0, .type = own.type, .numbered = true};
	out->offset = o && !own.said ? o->first : own.skip;
	out->bytes = (o ? o->last : own.skip) + own.type->bytes - out->offset;
	behind = n == 1 && own.said;
	if (at - out->offset < out->bytes || (at < in->first && !behind))
		return;
	out->number = 1 + (size_t)(in - os->regions.at);
	out->type = in->type;
	out->offset = in->first;
	out->bytes = in->last + in->type->bytes - in->first;
	out->numbered = in->first == in->last;
	if (behind)
		place_behind(out, &own, o, b);
}
