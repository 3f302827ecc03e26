/* SPDX-License-Identifier: MIT */
#include "verify/objects/references.h"

#include <string.h>

#include "verify/arch/reloc.h"
#include "verify/elf/loader.h"

/* The linker's --wrap is used for this one name; what else it leads elsewhere is led elsewhere. */
static bool is_wrapped(const char *theirs, const char *ours)
{
	if (!strcmp(ours, "pthread_create"))
		return !strcmp(theirs, "__wrap_pthread_create");
	return !strcmp(ours, "__real_pthread_create") && !strcmp(theirs, "pthread_create");
}

bool reference_is_called(const char *theirs, const char *ours)
{
	size_t n = strlen(ours);

	/* A variable of a library that the executable has a copy of carries its version. */
	if (!strncmp(theirs, ours, n) && (!theirs[n] || theirs[n] == '@'))
		return true;
	return is_wrapped(theirs, ours);
}

static bool has_name_at(const struct symbols *s, uint64_t address, const char *name)
{
	for (size_t i = symbols_at(s, address); i < s->n_places && s->place[i].address == address; i++)
		if (reference_is_called(s->place[i].name, name))
			return true;
	return false;
}

bool reference_is_anonymous(const struct image_symbol *s)
{
	return s->type == STT_SECTION || !s->name[0] || !strncmp(s->name, ".L", 2);
}

bool reference_is_sized(const struct image_symbol *s)
{
	return (s->type == STT_FUNC || s->type == STT_OBJECT || s->type == STT_TLS) && s->size &&
	       !reference_is_anonymous(s);
}

#define CONSTANT_MAX 64u

/*
 * The addresses in the constant of @n bytes at @s, which the binary has at @address: they lead where the
 * object's relocations say, and then stand in @theirs as in the object.
 */
static bool same_addresses(struct compare *c, const struct image_symbol *s, uint64_t address, uint8_t *theirs,
			   const uint8_t *ours, size_t n)
{
	for (size_t i = image_find(c->e, SHT_RELA, 0); i < c->e->n_sections;
	     i = image_find(c->e, SHT_RELA, i + 1)) {
		struct image_symbol to;
		Elf64_Rela r;

		for (size_t k = 0; c->e->section[i].sh_info == s->section && image_relocation(c->e, i, k, &r);
		     k++) {
			uint64_t at = r.r_offset - s->address;
			struct target t = target_in_slot(&c->b->image, address + at);

			if (r.r_offset < s->address || at >= n)
				continue;
			t.address -= (uint64_t)r.r_addend;
			if (reloc_of(ELF64_R_TYPE(r.r_info)) != RELOC_ADDRESS || n - at < 8 ||
			    !image_symbol(c->e, c->table, ELF64_R_SYM(r.r_info), &to) ||
			    !reference_leads(c, &to, &t, r.r_addend))
				return false;
			memcpy(theirs + at, ours + at, 8);
		}
	}
	return true;
}

/* Bytes of constants and texts that the linker joined with equal ones. */
static bool same_constant(struct compare *c, const struct image_symbol *s, uint64_t address)
{
	uint8_t with[CONSTANT_MAX];
	const Elf64_Shdr *h = &c->e->section[s->section];
	size_t size, n = (size_t)h->sh_entsize;
	const uint8_t *ours = image_bytes(c->e, s->section, &size), *theirs;

	if (!ours || s->address >= size)
		return false;
	size -= (size_t)s->address;
	if (h->sh_flags & SHF_STRINGS && n == 1)
		n = strnlen((const char *)ours + s->address, size) + 1;
	theirs = image_at(&c->b->image, address, n);
	if (!theirs || !n || n > size)
		return false;
	ours += s->address;
	if (h->sh_flags & SHF_STRINGS || n > sizeof(with))
		return !memcmp(theirs, ours, n);
	memcpy(with, theirs, n);
	return same_addresses(c, s, address, with, ours, n) && !memcmp(with, ours, n);
}

bool reference_learn(struct compare *c, size_t section, uint64_t base)
{
	struct image_symbol s;

	if (c->base[section] != NOWHERE)
		return c->base[section] == base;
	for (size_t i = 1; image_symbol(c->e, c->table, i, &s); i++)
		if (s.section == section && reference_is_sized(&s) && s.type != STT_TLS &&
		    !has_name_at(&c->b->symbols, base + s.address, s.name))
			return false;
	c->base[section] = base;
	return true;
}

/* A variable of a library, of which the executable has a copy. */
static bool is_copied(const struct compare *c, uint64_t address)
{
	const struct store *s = loader_at(&c->b->image, address);

	return s && s->type == RELOC_COPY;
}

bool reference_is_nothing(const struct compare *c, const struct image_symbol *s)
{
	return s->bind == STB_WEAK && s->section == SHN_UNDEF &&
	       symbols_named(&c->b->symbols, s->name) == c->b->symbols.n_places;
}

/* Names of numbers have no place in the program. */
static bool is_absolute(const struct compare *c, const struct image_symbol *s, uint64_t value)
{
	size_t table = image_find(&c->b->image, SHT_SYMTAB, 0);
	struct image_symbol d;

	if (s->section != SHN_UNDEF || reference_is_anonymous(s) ||
	    symbols_named(&c->b->symbols, s->name) < c->b->symbols.n_places)
		return false;
	for (size_t i = 1; image_symbol(&c->b->image, table, i, &d); i++)
		if (d.section == SHN_ABS && d.bind != STB_LOCAL && d.address == value &&
		    !strcmp(d.name, s->name))
			return true;
	return false;
}

bool reference_leads(struct compare *c, const struct image_symbol *s, const struct target *t, int64_t addend)
{
	if (!t->known)
		return false;
	if (!t->import && ((!t->address && reference_is_nothing(c, s)) || is_absolute(c, s, t->address)))
		return true;
	if (t->import)
		return reference_is_called(t->import, s->name);
	if (!reference_is_anonymous(s)) {
		struct insn jump = {.flow = FLOW_JUMP, .target = t->address};
		struct target through = target_of(&c->b->image, &c->b->symbols, &jump);

		if (has_name_at(&c->b->symbols, t->address, s->name)) {
			if (s->section == SHN_UNDEF && !is_copied(c, t->address))
				closure_want(c->closure, s->name);
			return true;
		}
		return (through.known && through.address != t->address &&
			reference_leads(c, s, &through, addend));
	}
	if (s->section >= c->e->n_sections)
		return false;
	if (c->e->section[s->section].sh_flags & SHF_MERGE) {
		struct image_symbol part = *s;

		part.address += s->type == STT_SECTION ? (uint64_t)addend : 0;
		return same_constant(c, &part, t->address + part.address - s->address);
	}
	return reference_learn(c, s->section, t->address - s->address);
}
