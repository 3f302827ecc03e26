/* SPDX-License-Identifier: MIT */
#include "verify/objects/cover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/arch/insn.h"
#include "verify/start/startup.h"

#define SHOWN 3 /* names in the line */

struct range {
	uint64_t from, to;
};

struct cover {
	const struct image *e;
	const struct symbols *s;
	struct range *range;
	size_t n;
	char text[512];
	size_t length, pieces; /* of the text, of code that nobody has */
	uint64_t last;         /* where the function that was named last ends */
};

static void cover_add(struct cover *c, uint64_t from, uint64_t size)
{
	c->range = need_more(c->range, c->n, sizeof(*c->range));
	c->range[c->n++] = (struct range){from, from + size};
}

static void add_placed(struct cover *c, const struct placed *p)
{
	for (size_t i = 0; i < p->n_found; i++)
		if (p->found[i]->type == STT_FUNC)
			cover_add(c, p->found[i]->address, p->found[i]->size);
	for (size_t i = 0; i < p->n_sections; i++)
		cover_add(c, p->section[i].address, p->section[i].size);
}

static void add_known(struct cover *c)
{
	for (size_t i = 0; i < c->s->n_places; i++) {
		uint64_t size = startup_size(c->e, c->s, &c->s->place[i]);

		if (size)
			cover_add(c, c->s->place[i].address, size);
	}
}

static int cover_by_begin(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Code of this function was found in nobody's hands. */
static void name(struct cover *c, uint64_t address, uint64_t end)
{
	const struct image_symbol *f = symbols_function_at(c->s, address);

	if (address < c->last)
		return;
	c->last = f ? f->address + f->size : end;
	if (c->pieces++ < SHOWN && f)
		c->length += (size_t)snprintf(c->text + c->length, sizeof(c->text) - c->length, "%s%.100s",
					      c->pieces > 1 ? ", " : "", f->name);
	else if (c->pieces <= SHOWN)
		c->length += (size_t)snprintf(c->text + c->length, sizeof(c->text) - c->length,
					      "%scode without a name at 0x%llx", c->pieces > 1 ? ", " : "",
					      (unsigned long long)address);
}

/* Between functions stands nothing but what fills up. */
static void check_gap(struct cover *c, uint64_t from, uint64_t to)
{
	while (from < to) {
		size_t size;
		const uint8_t *p = image_some(c->e, from, 16, &size);
		struct insn insn;

		if (size && insn_is_filler(*p)) {
			from++;
			continue;
		}
		if (!size || !insn_decode(p, size, from, &insn) || !insn.is_nop) {
			name(c, from, to);
			/* On to the end of what was named, or of the gap. */
			from = c->last > from && c->last < to ? c->last : to;
			continue;
		}
		from += insn.size;
	}
}

static bool is_linkers(const char *name)
{
	return !strncmp(name, ".plt", 4) || !strcmp(name, ".init") || !strcmp(name, ".fini") ||
	       !strcmp(name, ".iplt");
}

static void check_section(struct cover *c, const Elf64_Shdr *h)
{
	uint64_t at = h->sh_addr, end = h->sh_addr + h->sh_size;

	for (size_t i = 0; i < c->n && at < end; i++) {
		const struct range *r = &c->range[i];

		if (r->to <= at || r->from >= end)
			continue;
		if (r->from > at)
			check_gap(c, at, r->from);
		at = r->to;
	}
	if (at < end)
		check_gap(c, at, end);
}

void cover_check(const struct binary *b, const struct placed *objects, const struct placed *rebuilt, bool all,
		 struct findings *notes)
{
	struct cover c = {.e = &b->image, .s = &b->symbols};

	if (all) {
		add_placed(&c, objects);
		add_placed(&c, rebuilt);
	}
	for (size_t i = 0; !all && i < c.s->n_functions; i++)
		cover_add(&c, c.s->function[i].address, c.s->function[i].size);
	add_known(&c);
	if (c.n)
		qsort(c.range, c.n, sizeof(*c.range), cover_by_begin);
	for (size_t i = 0; i < c.e->n_sections; i++) {
		const Elf64_Shdr *h = &c.e->section[i];

		if (h->sh_flags & SHF_ALLOC && h->sh_flags & SHF_EXECINSTR && h->sh_type == SHT_PROGBITS &&
		    !is_linkers(image_section_name(c.e, i)))
			check_section(&c, h);
	}
	if (c.pieces > SHOWN && c.length < sizeof(c.text))
		snprintf(c.text + c.length, sizeof(c.text) - c.length, " and %zu more", c.pieces - SHOWN);
	if (c.pieces)
		findings_add(notes,
			     all ? "what code does that is in none of the objects: %s" : "what this does: %s",
			     c.text);
	free(c.range);
}

bool cover_is_whole(const struct binary *b, const struct placed *objects)
{
	struct placed none = {0};
	struct findings open = {0};
	bool whole;

	cover_check(b, objects, &none, true, &open);
	whole = !open.n;
	findings_release(&open);
	return whole;
}
