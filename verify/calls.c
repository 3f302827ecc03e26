/* SPDX-License-Identifier: MIT */
#include "verify/calls.h"

#include <stdlib.h>
#include <string.h>

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

static void add(struct scan *c, struct generated_symbol *to, uint64_t from)
{
	struct calls *out = c->out;

	out->call = need_more(out->call, out->n, sizeof(*out->call));
	out->call[out->n++] = (struct call){to, from, symbols_function_at(c->s, from)};
	to->calls++;
}

/* Length of the opcode before a 32-bit displacement of a call or jump at @p of @left bytes, 0 if there is none. */
static size_t branch(const uint8_t *p, size_t left)
{
	if (p[0] == 0xe8 || p[0] == 0xe9)
		return left >= 5 ? 1 : 0;
	return left >= 6 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80 ? 2 : 0;
}

/* Instructions with the address of a generated function: lea disp32(%rip), mov $imm32, %reg. */
static void scan_address(struct scan *c, const uint8_t *p, size_t left, uint64_t address)
{
	struct generated_symbol *to = NULL;

	if (left >= 6 && p[0] == 0x8d && (p[1] & 0xc7) == 0x05)
		to = target(c, address + 6 + (uint64_t)(int64_t)(int32_t)word(p + 2));
	else if (left >= 5 && c->e->head.e_type == ET_EXEC && (p[0] & 0xf8) == 0xb8)
		to = target(c, word(p + 1));
	if (to)
		to->taken++;
}

static void scan_code(struct scan *c, const uint8_t *data, size_t size, uint64_t address)
{
	for (size_t i = 0; i < size; i++) {
		size_t n = branch(data + i, size - i);
		struct generated_symbol *to;

		if (!n) {
			scan_address(c, data + i, size - i, address + i);
			continue;
		}
		to = target(c, address + i + n + 4 + (uint64_t)(int64_t)(int32_t)word(data + i + n));
		if (to)
			add(c, to, address + i);
	}
}

/* Pointers in data: relocations of position independent files, plain words else. */
static void scan_pointers(struct scan *c, size_t section)
{
	const Elf64_Shdr *s = &c->e->section[section];
	bool relocations = s->sh_type == SHT_RELA;
	size_t size, step = relocations ? sizeof(Elf64_Rela) : 8;
	const uint8_t *data = image_bytes(c->e, section, &size);

	for (size_t i = 0; data && i + step <= size; i += step) {
		uint64_t value;
		struct generated_symbol *to;

		memcpy(&value, data + i + (relocations ? offsetof(Elf64_Rela, r_addend) : 0), sizeof(value));
		to = target(c, value);
		if (to)
			to->taken++;
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
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *h = &e->section[i];
		size_t size;
		const uint8_t *data = image_bytes(e, i, &size);

		if (!(h->sh_flags & SHF_ALLOC) || !data)
			continue;
		if (h->sh_flags & SHF_EXECINSTR)
			scan_code(&c, data, size, h->sh_addr);
		else if (h->sh_type == SHT_RELA || (e->head.e_type == ET_EXEC && h->sh_type != SHT_DYNSYM))
			scan_pointers(&c, i);
	}
}

void calls_release(struct calls *c)
{
	free(c->call);
	*c = (struct calls){0};
}
