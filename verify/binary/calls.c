/* SPDX-License-Identifier: MIT */
#include "verify/binary/calls.h"

#include <stdlib.h>
#include <string.h>

#include "verify/elf/flow.h"
#include "verify/elf/loader.h"

struct scan {
	struct calls *out;
	const struct image *e;
	struct symbols *s;
	uint64_t low, high; /* addresses of generated functions */
};

static bool is_code(const struct generated_symbol *g)
{
	return g->kind != GEN_HASH && g->kind != GEN_TABLE;
}

static struct generated_symbol *target(const struct scan *c, uint64_t address)
{
	if (address < c->low || address > c->high)
		return NULL;
	for (size_t i = 0; i < c->s->n_generated; i++)
		if (c->s->generated[i].s.address == address && is_code(&c->s->generated[i]))
			return &c->s->generated[i];
	return NULL;
}

static uint32_t word(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

static void binary_calls_add(struct scan *c, struct generated_symbol *to, uint64_t from)
{
	struct calls *out = c->out;

	out->call = need_more(out->call, out->n, sizeof(*out->call));
	out->call[out->n++] = (struct call){to, from, symbols_function_at(c->s, from)};
	to->calls++;
}

/* Instructions with the address of a generated function: by its distance, and in files with fixed addresses
 * any constant. */
static void scan_address(struct scan *c, const uint8_t *p, size_t left, uint64_t address)
{
	struct generated_symbol *to = NULL;
	uint64_t near;

	if (insn_near(p, left, address, &near))
		to = target(c, near);
	if (!to && left >= 4 && c->e->head.e_type == ET_EXEC)
		to = target(c, word(p));
	if (to)
		to->taken++;
}

static void scan_code(struct scan *c, const uint8_t *data, size_t size, uint64_t address)
{
	for (size_t i = 0; i < size; i++) {
		size_t n = insn_branch(data + i, size - i);
		struct generated_symbol *to;

		if (!n) {
			scan_address(c, data + i, size - i, address + i);
			continue;
		}
		to = target(c, address + i + n + 4 + (uint64_t)(int64_t)(int32_t)word(data + i + n));
		if (to)
			binary_calls_add(c, to, address + i);
	}
}

/* Pointers that the loader makes. */
static void scan_stores(struct scan *c)
{
	for (size_t i = 0; i < c->e->n_stores; i++) {
		const struct store *s = &c->e->store[i];
		struct generated_symbol *to = s->import || s->type == RELOC_COPY ? NULL : target(c, s->value);

		if (to)
			to->taken++;
	}
}

/* Pointers that stand in the data of a file with fixed addresses, wherever they are. */
static void scan_data(struct scan *c, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i + 4 <= size; i++) {
		struct generated_symbol *to = target(c, word(data + i));

		if (to)
			to->taken++;
	}
}

/*
 * Is the number at @address, which leads to @to if it counts from there, an entry of a table that a function
 * jumps by?  Those count from the beginning of the table: the function lies before @to, by a table at most.
 */
static bool is_table_entry(const struct scan *c, uint64_t address, uint64_t to)
{
	uint64_t low = to > TABLE_BYTES ? to - TABLE_BYTES : 0;
	bool found = false;

	for (size_t i = 0; i < c->s->n_functions && !found; i++) {
		const struct image_symbol *f = &c->s->function[i];
		struct body b;

		if (f->address >= to || f->address + f->size <= low)
			continue;
		body_read(&b, c->e, c->s, f);
		found = b.readable && body_has_entry(&b, address);
		body_release(&b);
	}
	return found;
}

/* A distance from the place where it stands, or from @address if not @own: by chance that of something else
 * may look so. */
static void scan_distances(struct scan *c, const uint8_t *data, size_t size, uint64_t address, bool own)
{
	for (size_t i = 0; i + 4 <= size; i++) {
		uint64_t base = own ? address + i : address;
		struct generated_symbol *to = target(c, base + (uint64_t)(int64_t)(int32_t)word(data + i));

		if (to && !c->out->distant && !(own && is_table_entry(c, address + i, to->s.address))) {
			c->out->distant = to;
			c->out->distance = address + i;
		}
	}
}

/* What describes code, for debuggers and exceptions, counts from it everywhere. */
static bool is_description(const char *name)
{
	return !strncmp(name, ".eh_frame", 9) || !strncmp(name, ".gcc_except_table", 17);
}

static void scan_variables(struct scan *c)
{
	for (size_t i = 0; i < c->s->n_places; i++) {
		const struct image_symbol *v = &c->s->place[i];
		const uint8_t *data =
			v->type == STT_OBJECT ? image_at(c->e, v->address, (size_t)v->size) : NULL;

		if (data && v->section < c->e->n_sections &&
		    !(c->e->section[v->section].sh_flags & SHF_EXECINSTR) &&
		    !is_description(image_section_name(c->e, v->section)))
			scan_distances(c, data, (size_t)v->size, v->address, false);
	}
}

static void scan_section(struct scan *c, size_t i)
{
	const Elf64_Shdr *h = &c->e->section[i];
	size_t size;
	const uint8_t *data = image_bytes(c->e, i, &size);

	if (!(h->sh_flags & SHF_ALLOC) || !data)
		return;
	if (h->sh_flags & SHF_EXECINSTR)
		scan_code(c, data, size, h->sh_addr);
	else if (is_description(image_section_name(c->e, i)))
		return;
	else if (h->sh_type == SHT_PROGBITS || h->sh_type == SHT_INIT_ARRAY || h->sh_type == SHT_FINI_ARRAY ||
		 h->sh_type == SHT_PREINIT_ARRAY) {
		scan_distances(c, data, size, h->sh_addr, true);
		if (c->e->head.e_type == ET_EXEC)
			scan_data(c, data, size);
	}
}

void calls_find(struct calls *out, const struct image *e, struct symbols *s)
{
	struct scan c = {out, e, s, UINT64_MAX, 0};

	*out = (struct calls){0};
	for (size_t i = 0; i < s->n_generated; i++) {
		uint64_t a = s->generated[i].s.address;

		if (!is_code(&s->generated[i]))
			continue;
		c.low = a < c.low ? a : c.low;
		c.high = a > c.high ? a : c.high;
	}
	for (size_t i = 0; i < e->n_sections; i++)
		scan_section(&c, i);
	scan_stores(&c);
	scan_variables(&c);
}

void calls_release(struct calls *c)
{
	free(c->call);
	*c = (struct calls){0};
}
