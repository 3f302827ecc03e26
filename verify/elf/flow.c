/* SPDX-License-Identifier: MIT */
#include "verify/elf/flow.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_NEAR 16  /* steps between the address of a table and its jump */
#define TABLES_MAX 256 /* of a function */

static bool is_rest(const char *s)
{
	return !strncmp(s, ".cold", 5) && (s[5] == '\0' || s[5] == '.');
}

bool flow_is_part(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return (!a[n] && (!b[n] || is_rest(b + n))) || (!b[n] && is_rest(a + n));
}

static void decode(struct body *b, const struct image *e, const struct image_symbol *f)
{
	const uint8_t *code = image_at(e, f->address, (size_t)f->size);
	uint64_t at = 0;

	if (!code) {
		b->readable = false;
		return;
	}
	while (at < f->size) {
		struct step s = {.address = f->address + at};

		if (!insn_decode(code + at, (size_t)(f->size - at), s.address, &s.insn)) {
			b->readable = false;
			return;
		}
		b->step = need_more(b->step, b->n, sizeof(s));
		b->step[b->n++] = s;
		at += s.insn.size;
	}
}

static int by_target(const void *x, const void *y)
{
	const struct edge *a = x, *b = y;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

/*
 * The table that the computed jump at step @i takes its target from: entries
 * of 4 bytes that count from the table (`lea`, just before), or addresses
 * (`jmp *table(,%reg,8)`).  0 if it is not seen.
 */
static uint64_t table_of(const struct body *b, const struct image *e, size_t i, size_t *width)
{
	const struct step *s = &b->step[i];

	*width = 8;
	if (e->head.e_type == ET_EXEC && s->insn.size >= 7 && image_at(e, s->insn.constant, 8))
		return s->insn.constant;
	*width = 4;
	for (size_t k = 0; k < TABLE_NEAR && i > k; k++) {
		const struct insn *before = &b->step[i - k - 1].insn;

		if (before->access == ACCESS_ADDRESS && before->data)
			return before->data;
	}
	return 0;
}

static bool entry_of(const struct image *e, uint64_t table, size_t width, size_t k, uint64_t *to)
{
	const uint8_t *data = image_at(e, table + k * width, width);
	int32_t distance;

	if (!data)
		return false;
	if (width == 8) {
		memcpy(to, data, 8);
		return true;
	}
	memcpy(&distance, data, 4);
	*to = table + (uint64_t)(int64_t)distance;
	return true;
}

static void add_edge(struct body *b, uint64_t to, size_t from)
{
	b->edge = need_more(b->edge, b->n_edges, sizeof(*b->edge));
	b->edge[b->n_edges++] = (struct edge){to, from};
}

static bool is_computed(const struct step *s)
{
	return s->insn.flow == FLOW_JUMP_BY && !s->insn.slot;
}

/* A table ends where the next one begins, or with an entry that leads nowhere. */
static void table_edges(struct body *b, const struct image *e, size_t i)
{
	size_t width, other, n = 0;
	uint64_t table = table_of(b, e, i, &width), end = UINT64_MAX, to;

	for (size_t k = 0; table && k < b->n; k++) {
		uint64_t t = is_computed(&b->step[k]) ? table_of(b, e, k, &other) : 0;

		end = t > table && t < end ? t : end;
	}
	for (; table && n < TABLE_MAX && table + n * width < end; n++) {
		if (!entry_of(e, table, width, n, &to) || body_at(b, to) == BODY_NONE)
			break;
		add_edge(b, to, i);
	}
	if (!n)
		return;
	b->table = need_more(b->table, b->n_tables, sizeof(*b->table));
	b->table[b->n_tables++] = (struct jump_table){table, (uint32_t)width, (uint32_t)n};
}

static void find_edges(struct body *b, const struct image *e)
{
	size_t n_tables = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct insn *s = &b->step[i].insn;

		if (is_computed(&b->step[i]) && n_tables++ < TABLES_MAX)
			table_edges(b, e, i);
		if ((s->flow == FLOW_JUMP || s->flow == FLOW_BRANCH) && body_at(b, s->target) != BODY_NONE)
			add_edge(b, s->target, i);
	}
	if (b->n_edges)
		qsort(b->edge, b->n_edges, sizeof(*b->edge), by_target);
}

void body_read(struct body *b, const struct image *e, const struct symbols *s, const struct image_symbol *f)
{
	uint64_t end = 0;

	*b = (struct body){.readable = true, .entry = f->address};
	for (size_t i = 0; i < s->n_functions && b->readable; i++) {
		const struct image_symbol *part = &s->function[i];

		/* Another name of the same place, or one inside another, is not read twice. */
		if (!flow_is_part(f->name, part->name) || part->address < end)
			continue;
		decode(b, e, part);
		end = part->address + part->size;
		if (strlen(part->name) < strlen(f->name))
			b->entry = part->address;
	}
	find_edges(b, e);
}

void body_release(struct body *b)
{
	free(b->step);
	free(b->edge);
	free(b->table);
	*b = (struct body){0};
}

bool body_has_entry(const struct body *b, uint64_t address)
{
	for (size_t i = 0; i < b->n_tables; i++) {
		const struct jump_table *t = &b->table[i];
		uint64_t behind = address - t->address;

		if (address >= t->address && behind % t->width == 0 && behind / t->width < t->n)
			return true;
	}
	return false;
}

/* The first step that does not lie before @address. */
static size_t lower(const struct body *b, uint64_t address)
{
	size_t low = 0, high = b->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (b->step[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t body_at(const struct body *b, uint64_t address)
{
	size_t i = lower(b, address);

	return i < b->n && b->step[i].address == address ? i : BODY_NONE;
}

size_t body_round(const struct body *b, uint64_t address)
{
	size_t i = lower(b, address);

	if (i < b->n && b->step[i].address == address)
		return i;
	return i && address - b->step[i - 1].address < b->step[i - 1].insn.size ? i - 1 : BODY_NONE;
}

size_t body_edges_to(const struct body *b, uint64_t address)
{
	size_t low = 0, high = b->n_edges;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (b->edge[mid].to < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < b->n_edges && b->edge[low].to == address ? low : b->n_edges;
}

bool body_falls(const struct body *b, size_t i)
{
	const struct step *s = &b->step[i];

	if (s->insn.flow == FLOW_JUMP || s->insn.flow == FLOW_JUMP_BY || s->insn.flow == FLOW_STOP)
		return false;
	return i + 1 < b->n && b->step[i + 1].address == s->address + s->insn.size;
}

bool body_is_padding(const struct body *b, size_t i)
{
	for (;; i--) {
		const struct step *s = &b->step[i];

		if (!s->insn.is_nop || s->address == b->entry || body_edges_to(b, s->address) < b->n_edges)
			return false;
		if (!i || !body_falls(b, i - 1))
			return true;
	}
}
