/* SPDX-License-Identifier: MIT */
#include "verify/objects/placed.h"

#include <stdlib.h>
#include <string.h>

#include "verify/elf/loader.h"
#include "verify/objects/references.h"
#include "verify/objects/unwind.h"

/* First values of the thread-local block, which ends *@end bytes on, where the thread pointer is. */
static uint64_t tls_begin(const struct image *e, uint64_t *end)
{
	uint64_t low = UINT64_MAX, high = 0, align = 1;

	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *h = &e->section[i];

		if (!(h->sh_flags & SHF_TLS))
			continue;
		low = h->sh_addr < low ? h->sh_addr : low;
		high = h->sh_addr + h->sh_size > high ? h->sh_addr + h->sh_size : high;
		align = h->sh_addralign > align ? h->sh_addralign : align;
	}
	*end = high > low ? (high - low + align - 1) / align * align : 0;
	return low;
}

/* Go through the relocations of @at's section; false if one leads elsewhere. */
static bool check_relocations(struct compare *c, const struct stretch *at, const uint8_t *ours,
			      const uint8_t *theirs, uint8_t *mask)
{
	struct place p = {.at = at, .ours = ours, .theirs = theirs};
	bool right = true;

	for (size_t i = image_find(c->e, SHT_RELA, 0); i < c->e->n_sections;
	     i = image_find(c->e, SHT_RELA, i + 1)) {
		if (c->e->section[i].sh_info != at->section)
			continue;
		for (size_t k = 0; image_relocation(c->e, i, k, &p.r); k++) {
			if (p.r.r_offset < at->offset || p.r.r_offset - at->offset >= at->size)
				continue;
			p.k = p.r.r_offset - at->offset;
			p.is_covered = mask[p.k];
			reference_mark(mask, &p);
			c->relocations++;
			right &= image_symbol(c->e, c->table, ELF64_R_SYM(p.r.r_info), &p.s) &&
				 reference_is_right(c, &p);
		}
	}
	return right;
}

/* Does the loader write into the stretch only where the object has a reference?  @mask NULL: it has none. */
static bool is_left_alone(const struct compare *c, const struct stretch *at, const uint8_t *mask)
{
	const struct store *s;

	for (size_t i = 0; (s = loader_next(&c->b->image, at->address, at->size, &i));) {
		if (!mask || s->place < at->address || at->size - (s->place - at->address) < s->size)
			return false;
		for (uint64_t k = 0; k < s->size; k++)
			if (!mask[s->place - at->address + k])
				return false;
	}
	return true;
}

/* Does the executable begin with zero there?  First values of thread-local variables share addresses with others. */
static bool is_zero(const struct image *e, const struct stretch *at, bool thread_local)
{
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *h = &e->section[i];
		size_t size;
		const uint8_t *data = image_bytes(e, i, &size);

		if (!(h->sh_flags & SHF_ALLOC) || !(h->sh_flags & SHF_TLS) == thread_local ||
		    h->sh_addr > at->address || at->address - h->sh_addr >= h->sh_size)
			continue;
		if (at->size > h->sh_size - (at->address - h->sh_addr))
			return false;
		for (uint64_t k = 0; data && k < at->size; k++)
			if (data[at->address - h->sh_addr + k])
				return false;
		return true;
	}
	return false;
}

/* Is the stretch at its address of the executable? */
static bool equal(struct compare *c, const struct stretch *at)
{
	size_t size;
	const uint8_t *ours = image_bytes(c->e, at->section, &size);
	const uint8_t *theirs = image_at(&c->b->image, at->address, (size_t)at->size);
	bool same = true;
	uint8_t *mask;

	if (c->e->section[at->section].sh_type == SHT_NOBITS) {
		bool thread_local = c->e->section[at->section].sh_flags & SHF_TLS;

		return is_zero(&c->b->image, at, thread_local) &&
		       (thread_local || is_left_alone(c, at, NULL));
	}
	if (!ours || !theirs || at->offset > size || at->size > size - at->offset)
		return false;
	mask = need((size_t)at->size, 1);
	same = check_relocations(c, at, ours + at->offset, theirs, mask) && is_left_alone(c, at, mask);
	for (uint64_t i = 0; same && i < at->size; i++)
		same = mask[i] || ours[at->offset + i] == theirs[i];
	free(mask);
	return same;
}

static void placed_keep(struct placed *out, struct compare *c, const struct image_symbol *s,
			const struct image_symbol *found)
{
	if (s->type == STT_FUNC) {
		struct stretch at = {s->section, s->address, s->size, found->address};

		c->code = need_more(c->code, c->n_code, sizeof(*c->code));
		c->code[c->n_code++] = (struct code){at, s->name, s->bind};
	}
	out->found = need_more(out->found, out->n_found, sizeof(*out->found));
	out->found[out->n_found++] = found;
	out->taken[found - c->b->symbols.place] = true;
}

static void keep_name(struct placed *out, const char *name)
{
	size_t n = strlen(name) + 1;

	out->other = need_more(out->other, out->n_other, sizeof(*out->other));
	out->other[out->n_other] = need(n, 1);
	memcpy(out->other[out->n_other++], name, n);
}

/* Names of this object alone tell where their section is. */
static void learn(struct compare *c, const struct image_symbol *s, const struct image_symbol *there)
{
	if ((s->bind == STB_GLOBAL || s->bind == STB_LOCAL) && s->type != STT_TLS &&
	    !(c->e->section[s->section].sh_flags & SHF_MERGE))
		reference_learn(c, s->section, there->address - s->address);
}

/* Of several with the name of a local one, first that where its section is, then those that are nobody's yet. */
static int rank(const struct compare *c, const struct placed *out, const struct image_symbol *s,
		const struct image_symbol *there)
{
	if (c->base[s->section] != NOWHERE && c->base[s->section] + s->address == there->address)
		return 0;
	return out->taken[there - c->b->symbols.place] ? 2 : 1;
}

/* Compare with the executable's symbol @there; what a failed try learnt about sections is forgotten. */
static bool is_same(struct compare *c, const struct image_symbol *s, const struct image_symbol *there)
{
	struct stretch at = {s->section, s->address, s->size, there->address};
	size_t bytes = c->e->n_sections * sizeof(*c->base);

	if (there->size != s->size || there->type != s->type)
		return false;
	at.address += s->type == STT_TLS ? c->first : 0;
	memcpy(c->learnt, c->base, bytes);
	if (equal(c, &at))
		return true;
	memcpy(c->base, c->learnt, bytes);
	return false;
}

static void check_symbol(struct placed *out, struct compare *c, const struct image_symbol *s,
			 struct findings *list)
{
	const struct symbols *theirs = &c->b->symbols;
	size_t i = symbols_named(theirs, s->name);

	if (i == theirs->n_places) {
		out->absent++;
		return;
	}
	for (int r = 0; r < 3; r++)
		for (size_t k = i; k < theirs->n_places && !strcmp(theirs->by_name[k]->name, s->name); k++) {
			if (rank(c, out, s, theirs->by_name[k]) != r || !is_same(c, s, theirs->by_name[k]))
				continue;
			*(s->type == STT_FUNC ? &out->functions : &out->variables) += 1;
			placed_keep(out, c, s, theirs->by_name[k]);
			learn(c, s, theirs->by_name[k]);
			return;
		}
	if (s->bind != STB_LOCAL && s->bind != STB_GLOBAL)
		keep_name(out, s->name);
	else
		findings_add(list, "%s in the binary is not the %s of %s", s->name,
			     s->type == STT_FUNC ? "code" : "data", c->e->path);
}

static void keep_section(struct placed *out, const struct stretch *at)
{
	out->section = need_more(out->section, out->n_sections, sizeof(*out->section));
	out->section[out->n_sections++] = (struct placed_section){at->address, at->size};
}

/* Tables, texts and code without a name, where the references lead. */
static void check_nameless(struct placed *out, struct compare *c, struct findings *list)
{
	for (size_t i = 0; i < c->e->n_sections; i++) {
		struct stretch at = {i, 0, c->e->section[i].sh_size, c->base[i]};

		if (at.address == NOWHERE || c->e->section[i].sh_flags & (SHF_MERGE | SHF_TLS))
			continue;
		if (!equal(c, &at))
			findings_add(list, "section %s of %s is not what the binary has in its place",
				     image_section_name(c->e, i), c->e->path);
		else if (c->e->section[i].sh_flags & SHF_EXECINSTR)
			keep_section(out, &at);
	}
}

/* What is distinguished best comes first: names that are there once, code before data. */
static int turn_of(const struct image_symbol *s)
{
	return (s->type == STT_FUNC ? 0 : 2) + (s->bind == STB_LOCAL);
}

void placed_check(struct placed *out, const struct image *e, const struct binary *b, struct findings *list)
{
	struct compare c = {.closure = &out->closure, .e = e, .b = b, .table = image_find(e, SHT_SYMTAB, 0)};
	struct image_symbol s;

	if (c.table == e->n_sections)
		return;
	c.first = tls_begin(&b->image, &c.tls);
	closure_read(&out->closure, e);
	c.base = need(e->n_sections, sizeof(*c.base));
	c.learnt = need(e->n_sections, sizeof(*c.learnt));
	memset(c.base, 0xff, e->n_sections * sizeof(*c.base));
	if (!out->taken)
		out->taken = need(b->symbols.n_places + 1, sizeof(*out->taken));
	for (int turn = 0; turn < 4; turn++)
		for (size_t i = 1; image_symbol(e, c.table, i, &s); i++)
			if (s.section < e->n_sections && s.section != SHN_UNDEF && reference_is_sized(&s) &&
			    turn_of(&s) == turn && e->section[s.section].sh_flags & SHF_ALLOC)
				check_symbol(out, &c, &s, list);
	unwind_compare(&c, out, list);
	check_nameless(out, &c, list);
	out->relocations += c.relocations;
	free(c.base);
	free(c.learnt);
	free(c.code);
}

/* All but functions that others may define: nobody may have linked this one's. */
static void placed_join(struct placed *out, const struct placed *more, const struct binary *b)
{
	size_t n_frames = b->frames.n;

	closure_join(&out->closure, &more->closure);
	out->functions += more->functions;
	out->variables += more->variables;
	out->absent += more->absent;
	out->relocations += more->relocations;
	out->frames += more->frames;
	out->unframed += more->unframed;
	if (!out->unwound)
		out->unwound = need(n_frames + 1, sizeof(*out->unwound));
	if (!out->taken)
		out->taken = need(b->symbols.n_places + 1, sizeof(*out->taken));
	for (size_t i = 0; i < more->n_found; i++) {
		out->found = need_more(out->found, out->n_found, sizeof(*out->found));
		out->found[out->n_found++] = more->found[i];
		out->taken[more->found[i] - b->symbols.place] = true;
	}
	for (size_t i = 0; i < more->n_sections; i++) {
		out->section = need_more(out->section, out->n_sections, sizeof(*out->section));
		out->section[out->n_sections++] = more->section[i];
	}
	for (size_t i = 0; more->unwound && i < n_frames; i++)
		out->unwound[i] |= more->unwound[i];
}

bool placed_try(struct placed *out, const struct image *e, const struct binary *b)
{
	struct placed one = {0};
	struct findings list = {0};
	bool right;

	placed_check(&one, e, b, &list);
	right = !list.n && one.n_found && !one.absent;
	if (right)
		placed_join(out, &one, b);
	findings_release(&list);
	placed_release(&one);
	return right;
}

void placed_check_others(const struct placed *out, struct findings *list)
{
	for (size_t i = 0; i < out->n_other; i++) {
		size_t k = 0;

		while (k < out->n_found && strcmp(out->found[k]->name, out->other[i]))
			k++;
		if (k == out->n_found)
			findings_add(list, "%s in the binary is not the code of any of the objects",
				     out->other[i]);
	}
}

void placed_check_all(const struct placed *out, const struct binary *b, struct findings *list)
{
	for (size_t i = 0; i < b->symbols.n_places; i++) {
		const struct image_symbol *s = &b->symbols.place[i];
		size_t k = 0;

		if (s->type != STT_FUNC || !symbols_ours(s))
			continue;
		while (k < out->n_found && out->found[k] != s)
			k++;
		if (k == out->n_found)
			findings_add(list, "%s of the binary is in none of the rebuilt objects", s->name);
	}
}

void placed_release(struct placed *p)
{
	free(p->found);
	free(p->unwound);
	free(p->section);
	free(p->taken);
	closure_release(&p->closure);
	for (size_t i = 0; i < p->n_other; i++)
		free(p->other[i]);
	free(p->other);
	*p = (struct placed){0};
}
