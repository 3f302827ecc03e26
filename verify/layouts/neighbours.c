/* SPDX-License-Identifier: MIT */
/* Planned variables: do they begin lines, and who else is on these? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/layouts/layouts.h"

bool layouts_is_boundary(const struct image_symbol *s)
{
	static const char *const names[] = {"_end",
					    "end",
					    "_edata",
					    "edata",
					    "_etext",
					    "etext",
					    "__bss_start",
					    "__bss_start__",
					    "__bss_end__",
					    "_bss_end__",
					    "__end__",
					    "__data_start",
					    "data_start",
					    "__TMC_END__",
					    "__TMC_LIST__",
					    "__ehdr_start",
					    "__executable_start",
					    "_TLS_MODULE_BASE_"};

	for (size_t i = 0; !s->size && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(s->name, names[i]))
			return true;
	/* Labels of the assembler, which mold keeps. */
	return !s->size && s->bind == STB_LOCAL && !strncmp(s->name, ".L", 2);
}

/* ---- neighbours --------------------------------------------------------------------------- */

/* The first symbol behind @from and before @to that somebody may store to, or NULL. */
static const struct image_symbol *symbol_behind(const struct symbols *s, uint64_t from, uint64_t to)
{
	size_t low = 0, high = s->n_places;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->place[mid].address <= from)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < s->n_places && s->place[low].address < to; low++)
		if (s->place[low].type != STT_TLS && !layouts_is_boundary(&s->place[low]))
			return &s->place[low];
	return NULL;
}

/* A variable that begins before @at and ends behind it, or NULL. */
static const struct image_symbol *symbol_across(const struct symbols *s, uint64_t at)
{
	for (size_t i = 0; i < s->n_places && s->place[i].address < at; i++)
		if (s->place[i].type == STT_OBJECT && s->place[i].size > at - s->place[i].address)
			return &s->place[i];
	return NULL;
}

size_t layouts_variable_behind(const struct layouts *l, uint64_t from)
{
	size_t low = 0, high = l->n_variables;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->variable[mid].address <= from)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Who lies between @from and @to, beside what begins at @from: its name, or NULL. */
static const char *neighbour(const struct layouts *l, uint64_t from, uint64_t to, uint64_t *at)
{
	const struct image_symbol *s = symbol_behind(l->symbols, from, to);
	size_t i = layouts_variable_behind(l, from);

	s = s ? s : symbol_across(l->symbols, from);
	if (s) {
		*at = s->address;
		return s->name;
	}
	/* The symbol may have been removed. */
	if (i == l->n_variables || l->variable[i].address >= to)
		return NULL;
	*at = l->variable[i].address;
	return l->variable[i].name;
}

/*
 * A name that was given to the linker as a number (--defsym, a script) between @from and @to: a place of
 * the program, or a number that only looks so.
 */
static bool absolute_between(const struct image *e, uint64_t from, uint64_t to, struct image_symbol *s)
{
	size_t table = image_find(e, SHT_SYMTAB, 0);

	for (size_t i = 1; table < e->n_sections && image_symbol(e, table, i, s); i++)
		if (s->section == SHN_ABS && s->type != STT_FILE && s->address >= from && s->address < to)
			return true;
	return false;
}

/* ---- the variable itself ------------------------------------------------------------------ */

/* May @symbol be that of @v?  Of static variables the debug information tells less than their symbol. */
static bool is_symbol(const struct located *v, const char *symbol)
{
	size_t n = strlen(v->name), m = strlen(symbol);
	char length[24];

	if (v->linkage)
		return symbols_same(symbol, v->linkage);
	if (symbols_same(symbol, v->name) ||
	    (m > n && symbol[m - n - 1] == '.' && !strcmp(symbol + m - n, v->name)))
		return true;
	snprintf(length, sizeof(length), "%zu", n);
	for (const char *s = strncmp(symbol, "_Z", 2) ? NULL : strstr(symbol, length); s;
	     s = strstr(s + 1, length))
		if (!strncmp(s + strlen(length), v->name, n))
			return true;
	return false;
}

/* The symbol of @v at its address, or NULL. */
static const struct image_symbol *own_symbol(const struct symbols *s, const struct located *v)
{
	for (size_t i = symbols_at(s, v->address); i < s->n_places && s->place[i].address == v->address; i++)
		if (s->place[i].type == STT_OBJECT && s->place[i].size && is_symbol(v, s->place[i].name))
			return &s->place[i];
	return NULL;
}

/* Another name at its address for more or fewer bytes than @size, or NULL. */
static const struct image_symbol *other_size(const struct symbols *s, const struct located *v, uint64_t size)
{
	for (size_t i = symbols_at(s, v->address); i < s->n_places && s->place[i].address == v->address; i++)
		if (s->place[i].type == STT_OBJECT && s->place[i].size && s->place[i].size != size)
			return &s->place[i];
	return NULL;
}

/* The variable that other units mean by the name of @v, if it lies elsewhere, or NULL. */
static const struct image_symbol *public_symbol(const struct symbols *s, const struct located *v)
{
	const char *name = v->linkage ? v->linkage : v->name;

	for (size_t i = symbols_named(s, name); i < s->n_places && !strcmp(s->by_name[i]->name, name); i++)
		if (s->by_name[i]->bind != STB_LOCAL && s->by_name[i]->address != v->address)
			return s->by_name[i];
	return NULL;
}

/* Whether @v is the planned variable at all: by its symbols.  False if a difference was said. */
static bool check_symbols(struct layouts *l, size_t i, const struct located *v, const char *whose,
			  const char *text)
{
	const struct vplan_layout *p = &l->plan->layout[i];
	const struct image_symbol *own = own_symbol(l->symbols, v);
	const struct image_symbol *sized = other_size(l->symbols, v, p->size);
	const struct image_symbol *other = v->is_public ? public_symbol(l->symbols, v) : NULL;

	if (sized && sized == own)
		findings_add(l->list, "%s of %s has %llu bytes, the plan says %llu", text, whose,
			     (unsigned long long)own->size, (unsigned long long)p->size);
	else if (sized)
		findings_add(l->list, "%s of %s: `%s` has %llu bytes there, the plan says %llu", text, whose,
			     sized->name, (unsigned long long)sized->size, (unsigned long long)p->size);
	else if (other)
		findings_add(l->list, "%s of %s lies at 0x%llx, and the program's `%s` at 0x%llx", text,
			     whose, (unsigned long long)v->address, other->name,
			     (unsigned long long)other->address);
	return !sized && !other;
}

void layouts_place(struct layouts *l, size_t i, const struct located *v, const char *whose)
{
	const struct vplan_layout *p = &l->plan->layout[i];
	struct layout_seen *seen = &l->seen[i];
	unsigned long long address = v->address;
	uint64_t at;
	size_t before = l->list->n;
	const char *other = neighbour(l, v->address, v->address + p->size_after, &at);
	struct image_symbol named;
	char text[512];

	layouts_name(p, text, sizeof(text));
	if (v->address % p->align)
		findings_add(l->list,
			     "%s of %s lies at 0x%llx, not aligned to %u: was it compiled with the plan?",
			     text, whose, address, p->align);
	else if (check_symbols(l, i, v, whose, text) && other)
		findings_add(l->list, "%s of %s lies at 0x%llx, and `%s` at 0x%llx of the same lines", text,
			     whose, address, other, (unsigned long long)at);
	if (l->list->n > before) {
		seen->bad++;
	} else if (absolute_between(l->e, v->address, v->address + p->size_after, &named)) {
		seen->open = true;
		findings_add(
			l->notes,
			"%s of %s: the linker was told of a number `%s`, 0x%llx, which is in the same lines",
			text, whose, named.name, (unsigned long long)named.address);
	} else if (own_symbol(l->symbols, v)) {
		seen->good++;
	} else {
		seen->open = true;
		findings_add(l->notes, "%s of %s: no symbol tells its size at 0x%llx", text, whose, address);
	}
}

static int places_by_address(const void *a, const void *b)
{
	const struct located *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

void layouts_places(struct layouts *l)
{
	if (l->n_variables)
		qsort(l->variable, l->n_variables, sizeof(*l->variable), places_by_address);
	for (size_t k = 0; k < l->n_planned; k++) {
		const struct planned *p = &l->planned[k];
		struct layout_seen *seen = &l->seen[p->layout];

		/* All units may define what is in one place. */
		if (seen->good + seen->bad && seen->address == p->variable.address)
			continue;
		seen->address = p->variable.address;
		layouts_place(l, p->layout, &p->variable, layouts_unit(p->variable.unit));
	}
}
