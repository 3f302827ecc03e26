/* SPDX-License-Identifier: MIT */
/* Variables: where those of the plan lie, and who else is on their lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/arch/reloc.h"
#include "verify/layouts/layouts.h"

#define STEPS 4 /* from a definition to what it defines, or from a copy to its origin */

/* What is said of a variable, by its own entry or by those that it refers to. */
struct said {
	const char *name;
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
		s.unit = d.unit;
		if (!dwarf_follow(&d, dwarf_has(&d, AT_ORIGIN) ? AT_ORIGIN : AT_SPECIFICATION, &to))
			break;
		d = to;
	}
	return s;
}

/* What the linker defines at the ends of sections; nothing lies there. */
static bool is_boundary(const struct image_symbol *s)
{
	static const char *const names[] = {"_end",        "end",           "_edata",       "edata",
					    "__bss_start", "__bss_start__", "__bss_end__",  "_bss_end__",
					    "__TMC_END__", "__end__",       "__data_start", "data_start"};

	for (size_t i = 0; !s->size && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(s->name, names[i]))
			return true;
	return false;
}

/* The first symbol behind @from and before @to that somebody may store to, or NULL. */
static const struct image_symbol *neighbour(const struct symbols *s, uint64_t from, uint64_t to)
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
		if (s->place[low].type != STT_TLS && !is_boundary(&s->place[low]))
			return &s->place[low];
	return NULL;
}

/* The symbol of the variable at @address, or NULL. */
static const struct image_symbol *object_at(const struct symbols *s, uint64_t address)
{
	for (size_t i = symbols_at(s, address); i < s->n_places && s->place[i].address == address; i++)
		if (s->place[i].type == STT_OBJECT && s->place[i].size)
			return &s->place[i];
	return NULL;
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

/* Layout @i is a variable at @address; @whose: unit, or what it is instead. */
static void check_place(struct layouts *l, size_t i, uint64_t address, const char *whose)
{
	const struct vplan_layout *p = &l->plan->layout[i];
	struct layout_seen *seen = &l->seen[i];
	const struct image_symbol *own = object_at(l->symbols, address), *other;
	char text[512];
	size_t before = l->list->n;

	layouts_name(p, text, sizeof(text));
	other = neighbour(l->symbols, address, address + p->size_after);
	if (address % p->align)
		findings_add(l->list,
			     "%s of %s lies at 0x%llx, not aligned to %u: was it compiled with the plan?",
			     text, whose, (unsigned long long)address, p->align);
	else if (own && own->size != p->size)
		findings_add(l->list, "%s of %s has %llu bytes, the plan says %llu", text, whose,
			     (unsigned long long)own->size, (unsigned long long)p->size);
	else if (other)
		findings_add(l->list, "%s of %s lies at 0x%llx, and `%s` at 0x%llx of the same lines", text,
			     whose, (unsigned long long)address, other->name,
			     (unsigned long long)other->address);
	seen->bad += l->list->n > before;
	seen->good += l->list->n == before && own;
	if (l->list->n == before && !own) {
		seen->open = true;
		findings_add(l->notes, "%s of %s: no symbol tells its size at 0x%llx", text, whose,
			     (unsigned long long)address);
	}
}

void layouts_variable(struct layouts *l, const struct die *die)
{
	uint64_t address;
	struct said s;

	if (!dwarf_address(die, &address) || !is_loaded(l->e, address))
		return;
	s = said_of(die);
	for (size_t i = 0; i < l->plan->n_layouts; i++) {
		const struct vplan_layout *p = &l->plan->layout[i];

		if (p->kind != VPLAN_VARIABLE || !s.name || s.line != p->source_line ||
		    !layouts_is_variable(p->name, s.name) || !s.file || !dwarf_is_file(p->file, s.file) ||
		    (p->unit && s.unit->name && !dwarf_same_path(p->unit, s.unit->name)))
			continue;
		/* All units may define what is in one place. */
		if (l->seen[i].good + l->seen[i].bad && l->seen[i].address == address)
			continue;
		l->seen[i].address = address;
		check_place(l, i, address, layouts_unit(s.unit));
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
					check_place(l, v, r.r_offset,
						    "a library, copied into the program by the linker (build "
						    "what uses it with -fPIC),");
		}
	}
}
