/* SPDX-License-Identifier: MIT */
/* Variables as the debug information has them: which are of the plan, and where the linker has copied one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/arch/reloc.h"
#include "verify/layouts/layouts.h"

#define STEPS 4 /* from a definition to what it defines, or from a copy to its origin */

/* What is said of a variable, by its own entry or by those that it refers to. */
struct said {
	const char *name, *linkage;
	bool is_public;
	const struct dwarf_file *file;
	uint64_t line;
	const struct dwarf_unit *unit; /* that holds the name */
};

static struct said said_of(const struct die *die)
{
	struct said s = {.unit = die->unit};
	struct die d = *die, to;

	for (int i = 0; i < STEPS; i++) {
		if (!s.line && dwarf_has(&d, AT_LINE)) {
			s.line = dwarf_number(&d, AT_LINE);
			s.file = dwarf_file(&d);
		}
		/* A definition may leave out the file that is its declaration's. */
		if (s.line && !s.file)
			s.file = dwarf_file(&d);
		s.name = s.name ? s.name : dwarf_text(&d, AT_NAME);
		s.is_public |= dwarf_number(&d, AT_EXTERNAL) != 0;
		s.linkage = s.linkage ? s.linkage : dwarf_text(&d, AT_LINKAGE_NAME);
		s.unit = d.unit;
		if (!dwarf_follow(&d, dwarf_has(&d, AT_ORIGIN) ? AT_ORIGIN : AT_SPECIFICATION, &to))
			break;
		d = to;
	}
	return s;
}

/* Is something loaded there?  What the linker dropped has the address zero, or none at all. */
static bool is_loaded(const struct image *e, uint64_t address)
{
	for (size_t i = 0; i < e->n_sections; i++)
		if (e->section[i].sh_flags & SHF_ALLOC && !(e->section[i].sh_flags & SHF_TLS) &&
		    address >= e->section[i].sh_addr &&
		    address - e->section[i].sh_addr < e->section[i].sh_size)
			return true;
	return false;
}

static bool is_planned(const struct vplan_layout *p, const struct said *s)
{
	return p->kind == VPLAN_VARIABLE && s->name && s->line == p->source_line &&
	       layouts_is_variable(p->name, s->name) && s->file && dwarf_is_file(p->file, s->file) &&
	       (!p->unit || !s->unit->name || dwarf_same_path(p->unit, s->unit->name));
}

static void add_located(struct layouts *l, const struct said *s, uint64_t address)
{
	l->variable = need_more(l->variable, l->n_variables, sizeof(*l->variable));
	l->variable[l->n_variables++] = (struct located){.address = address,
							 .name = s->name ? s->name : "",
							 .linkage = s->linkage,
							 .is_public = s->is_public,
							 .unit = s->unit};
}

/* What has a value in the debug information is a constant, and lies where its symbol is, if it lies anywhere. */
static void add_constant(struct layouts *l, const struct said *s)
{
	const char *name = s->linkage ? s->linkage : s->name;

	for (size_t i = name ? symbols_named(l->symbols, name) : l->symbols->n_places;
	     i < l->symbols->n_places && !strcmp(l->symbols->by_name[i]->name, name); i++)
		add_located(l, s, l->symbols->by_name[i]->address);
}

/* Parts of a variable: "at this address so many bytes", and again. */
static void add_parts(struct layouts *l, const struct die *die, const struct said *s)
{
	uint64_t part[8];
	size_t n = dwarf_addresses(die, part, sizeof(part) / sizeof(*part));

	for (size_t i = 0; i < n; i++)
		if (is_loaded(l->e, part[i]))
			add_located(l, s, part[i]);
}

void layouts_variable(struct layouts *l, const struct die *die)
{
	uint64_t address;
	struct said s;

	if (!dwarf_has(die, AT_LOCATION) && !dwarf_has(die, AT_VALUE))
		return;
	s = said_of(die);
	if (dwarf_has(die, AT_VALUE)) {
		add_constant(l, &s);
	} else if (dwarf_thread_place(die, &address)) {
		add_located(l, &s, address | LAYOUTS_THREAD);
	} else if (!dwarf_address(die, &address)) {
		add_parts(l, die, &s);
	} else if (is_loaded(l->e, address)) {
		add_located(l, &s, address);
		for (size_t i = 0; i < l->plan->n_layouts; i++)
			if (is_planned(&l->plan->layout[i], &s)) {
				l->planned = need_more(l->planned, l->n_planned, sizeof(*l->planned));
				l->planned[l->n_planned++] =
					(struct planned){i, l->variable[l->n_variables - 1]};
			}
	}
}

/* Is @symbol the variable @written: "hits", or "_ZN3app4hitsE" of "app::hits"? */
static bool is_symbol_of(const char *written, const char *symbol)
{
	if (!strstr(written, "::"))
		return !strcmp(written, symbol);
	if (strncmp(symbol, "_ZN", 3))
		return false;
	for (symbol += 3; *symbol >= '1' && *symbol <= '9';) {
		char *end;
		size_t n = strtoul(symbol, &end, 10), own = strcspn(written, ":");

		if (own != n || strncmp(end, written, n))
			return false;
		symbol = end + n;
		written += own;
		written += 2 * !strncmp(written, "::", 2);
	}
	return !*written && !strcmp(symbol, "E");
}

void layouts_copied(struct layouts *l)
{
	const struct image *e = l->e;

	for (size_t i = image_find(e, SHT_RELA, 0); i < e->n_sections; i = image_find(e, SHT_RELA, i + 1)) {
		struct image_symbol s;
		Elf64_Rela r;

		if (!(e->section[i].sh_flags & SHF_ALLOC) || e->section[i].sh_link >= e->n_sections)
			continue;
		for (size_t k = 0; image_relocation(e, i, k, &r); k++) {
			if (reloc_of(ELF64_R_TYPE(r.r_info)) != RELOC_COPY ||
			    !image_symbol(e, e->section[i].sh_link, ELF64_R_SYM(r.r_info), &s))
				continue;
			for (size_t v = 0; v < l->plan->n_layouts; v++)
				if (l->plan->layout[v].kind == VPLAN_VARIABLE && !l->plan->layout[v].unit &&
				    is_symbol_of(l->plan->layout[v].name, s.name))
					layouts_place(
						l, v,
						&(struct located){.address = r.r_offset, .name = s.name},
						"a library, copied into the program by the linker "
						"(build what uses it with -fPIC),");
		}
	}
}
