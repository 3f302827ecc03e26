/* SPDX-License-Identifier: MIT */
#include "verify/elf/loader.h"

#include <stdlib.h>
#include <string.h>

#ifndef SHT_RELR
#define SHT_RELR 19
#endif

static void loader_add(struct image *e, const struct store *s)
{
	if (s->type == RELOC_NONE)
		return;
	e->store = need_more(e->store, e->n_stores, sizeof(*s));
	e->store[e->n_stores++] = *s;
	if (s->size > e->store_max)
		e->store_max = s->size;
}

/* The symbol's part of a store: an import, a definition, or the bytes of a copied variable. */
static void by_symbol(const struct image *e, size_t section, const Elf64_Rela *r, struct store *s)
{
	size_t table = e->section[section].sh_link;
	struct image_symbol symbol;

	s->known = false;
	if (table >= e->n_sections || !image_symbol(e, table, ELF64_R_SYM(r->r_info), &symbol))
		return;
	s->size = s->type == RELOC_COPY ? symbol.size : s->size;
	s->value = symbol.address + (uint64_t)r->r_addend;
	if (symbol.section == SHN_UNDEF)
		s->import = symbol.name;
	s->addend = s->import ? r->r_addend : 0;
	s->known = s->type == RELOC_ADDRESS ||
		   ((s->type == RELOC_DATA_SLOT || s->type == RELOC_CALL_SLOT) && !r->r_addend);
}

/* A function that the loader calls to learn which one is meant. */
static bool is_resolver(const struct image *e, uint64_t address)
{
	size_t table = image_find(e, SHT_SYMTAB, 0);
	struct image_symbol s;

	for (size_t i = 1; image_symbol(e, table, i, &s); i++)
		if (s.type == STT_GNU_IFUNC && s.address == address)
			return true;
	return false;
}

/* What a static program does by itself knows one kind of them. */
static bool has_loader(const struct image *e)
{
	return image_find(e, SHT_DYNAMIC, 0) < e->n_sections;
}

static void add_rela(struct image *e, size_t section, const Elf64_Rela *r)
{
	struct store s = {.place = r->r_offset, .type = reloc_of(ELF64_R_TYPE(r->r_info))};

	s.size = reloc_bytes(ELF64_R_TYPE(r->r_info));
	s.value = (uint64_t)r->r_addend;
	/* Of any other function the loader would store the result, and call it before main(). */
	s.known = s.type != RELOC_RESOLVED ? has_loader(e) : is_resolver(e, s.value);
	if (s.type != RELOC_RESOLVED && s.type != RELOC_RELATIVE)
		by_symbol(e, section, r, &s);
	loader_add(e, &s);
}

/* A place whose own eight bytes are counted from the program's first one. */
static void add_relr(struct image *e, uint64_t place)
{
	const uint8_t *data = image_at(e, place, 8);
	struct store s = {.place = place, .size = 8, .type = RELOC_RELATIVE, .known = data};

	if (data)
		memcpy(&s.value, data, 8);
	loader_add(e, &s);
}

/* Even words are places, odd ones say by a bit each which of the 63 words behind the last are. */
static void read_relr(struct image *e, size_t section)
{
	size_t size;
	const uint8_t *data = image_bytes(e, section, &size);
	uint64_t next = 0, word;

	for (size_t at = 0; data && at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, data + at, sizeof(word));
		if (!(word & 1)) {
			add_relr(e, word);
			next = word + 8;
			continue;
		}
		for (unsigned bit = 1; bit < 64; bit++)
			if (word >> bit & 1)
				add_relr(e, next + 8 * (uint64_t)(bit - 1));
		next += 63 * UINT64_C(8);
	}
}

static int loader_by_place(const void *a, const void *b)
{
	const struct store *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* What two stores leave behind is nothing that is known. */
static void find_meetings(struct image *e)
{
	size_t last = 0; /* the one that reaches furthest */

	for (size_t i = 1; i < e->n_stores; i++) {
		struct store *a = &e->store[last], *b = &e->store[i];

		if (b->place - a->place < a->size)
			a->meets = b->meets = true;
		if (b->place - a->place >= a->size || b->size > a->size - (b->place - a->place))
			last = i;
	}
	for (size_t i = 0; i < e->n_stores; i++)
		e->store[i].known &= !e->store[i].meets;
}

void loader_read(struct image *e)
{
	Elf64_Rela r;

	for (size_t i = 0; i < e->n_sections; i++) {
		if (!(e->section[i].sh_flags & SHF_ALLOC))
			continue;
		if (e->section[i].sh_type == SHT_RELR)
			read_relr(e, i);
		for (size_t k = 0; e->section[i].sh_type == SHT_RELA && image_relocation(e, i, k, &r); k++)
			add_rela(e, i, &r);
	}
	if (e->n_stores)
		qsort(e->store, e->n_stores, sizeof(*e->store), loader_by_place);
	find_meetings(e);
}

/* The first store whose place is not before @address. */
static size_t lower(const struct image *e, uint64_t address)
{
	size_t low = 0, high = e->n_stores;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (e->store[mid].place < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct store *loader_at(const struct image *e, uint64_t place)
{
	size_t i = lower(e, place);

	return i < e->n_stores && e->store[i].place == place ? &e->store[i] : NULL;
}

const struct store *loader_next(const struct image *e, uint64_t from, uint64_t size, size_t *at)
{
	size_t i = *at ? *at : lower(e, from > e->store_max ? from - e->store_max : 0);

	for (; i < e->n_stores && (e->store[i].place < from || e->store[i].place - from < size); i++)
		if (e->store[i].place >= from || from - e->store[i].place < e->store[i].size) {
			*at = i + 1;
			return &e->store[i];
		}
	return NULL;
}
