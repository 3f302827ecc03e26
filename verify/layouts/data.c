/* SPDX-License-Identifier: MIT */
/*
 * Data that no unit tells of: an object without debug information may hold a planned type, or the place of a
 * planned field as a number, and need have no code.  Nobody names it but its symbols, or its bytes.
 */
#include <stdio.h>
#include <string.h>

#include "verify/arch/reloc.h"
#include "verify/layouts/layouts.h"

/* ---- what compilers, linkers and start-up objects define ------------------------------------ */

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Data of the compiler: tables of classes, guards, constants and literals that something else refers to. */
static bool is_compilers(const struct image_symbol *s)
{
	static const char *const anywhere[] = {"_ZTV", "_ZTT", "_ZTI", "_ZTS",
					       "_ZTC", "_ZGV", "_ZGR", "DW.ref."};
	static const char *const local[] = {
		"CSWTCH.", "__compound_literal.", ".compoundliteral", "switch.table.", "__const.", "C."};

	for (size_t i = 0; i < sizeof(anywhere) / sizeof(*anywhere); i++)
		if (begins(s->name, anywhere[i]))
			return true;
	for (size_t i = 0; s->bind == STB_LOCAL && i < sizeof(local) / sizeof(*local); i++)
		if (begins(s->name, local[i]))
			return true;
	return false;
}

/* Data of crt1.o, crtbegin.o, crtend.o, libgcc.a and of the linker. */
static bool is_startups(const struct image_symbol *s)
{
	static const struct {
		const char *name;
		uint64_t size;
	} known[] = {{"_IO_stdin_used", 4},
		     {"__dso_handle", 0},
		     {"__dso_handle", 8},
		     {"__abi_tag", 32},
		     {"__FRAME_END__", 0},
		     {"__EH_FRAME_BEGIN__", 0},
		     {"__GNU_EH_FRAME_HDR", 0},
		     {"__frame_dummy_init_array_entry", 0},
		     {"__do_global_dtors_aux_fini_array_entry", 0},
		     {"__clz_tab", 256},
		     {"__popcount_tab", 256},
		     {"__cpu_model", 16},
		     {"__cpu_features2", 4}};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (s->size == known[i].size && !strcmp(s->name, known[i].name))
			return true;
	if (s->type == STT_TLS)
		return !strcmp(s->name, "__tls_guard") && s->size == 1;
	return (begins(s->name, "completed.") && s->size == 1 && s->bind == STB_LOCAL) ||
	       (!s->size && (begins(s->name, "__start_") || begins(s->name, "__stop_"))) ||
	       layouts_is_boundary(s);
}

/* A variable of a library, of which the linker has put a copy here. */
static bool is_copy(const struct image *e, uint64_t address)
{
	for (size_t i = image_find(e, SHT_RELA, 0); i < e->n_sections; i = image_find(e, SHT_RELA, i + 1)) {
		Elf64_Rela r;

		for (size_t k = 0; e->section[i].sh_flags & SHF_ALLOC && image_relocation(e, i, k, &r); k++)
			if (r.r_offset == address && reloc_of(ELF64_R_TYPE(r.r_info)) == RELOC_COPY)
				return true;
	}
	return false;
}

/* ---- by symbols ----------------------------------------------------------------------------- */

/* A section of data of the units; the linker's own tables have types or names of their own. */
static bool is_data(const struct image *e, size_t section)
{
	const Elf64_Shdr *h = section < e->n_sections ? &e->section[section] : NULL;

	return h && h->sh_flags & SHF_ALLOC && !(h->sh_flags & SHF_EXECINSTR) &&
	       (h->sh_type == SHT_PROGBITS || h->sh_type == SHT_NOBITS) &&
	       !begins(image_section_name(e, section), ".got") &&
	       !begins(image_section_name(e, section), ".eh_frame");
}

/* Does a unit tell of a variable there? */
static bool is_told(const struct layouts *l, uint64_t address)
{
	size_t i = layouts_variable_behind(l, address);

	return i && l->variable[i - 1].address == address;
}

/* Static data of what codegen makes; its names are not of its families. */
static bool is_generated(const struct image_symbol *s)
{
	return symbols_inside(s) ||
	       (s->bind == STB_LOCAL && s->file && begins(layouts_last(s->file), "perseus_"));
}

static bool is_untold(const struct layouts *l, const struct image_symbol *s)
{
	bool is_thread = s->type == STT_TLS;

	if ((s->type != STT_OBJECT && s->type != STT_NOTYPE && s->type != STT_COMMON && !is_thread) ||
	    !is_data(l->e, s->section))
		return false;
	return !is_told(l, is_thread ? s->address | LAYOUTS_THREAD : s->address) && !is_generated(s) &&
	       !is_compilers(s) && !is_startups(s) && !layouts_is_librarys(l, s->address) &&
	       (is_thread || !is_copy(l->e, s->address));
}

static void name_symbols(struct layouts *l)
{
	struct layouts_names x = {.n = 0};

	for (size_t i = 0; i < l->symbols->n_places; i++) {
		const struct image_symbol *s = &l->symbols->place[i];
		char text[256];

		if (!is_untold(l, s))
			continue;
		snprintf(text, sizeof(text), "`%.70s` at 0x%llx", s->name, (unsigned long long)s->address);
		layouts_add_name(&x, text);
	}
	layouts_say_untold(l, &x, "no debug information tells what this data is (-g)");
}

/* ---- by bytes ------------------------------------------------------------------------------- */

/* Data of a section, from symbol to symbol. */
struct gaps {
	const struct layouts *l;
	struct layouts_names x;
	const uint8_t *data;
	uint64_t begin, end; /* addresses of the section */
};

/* The address of a type's information, for a table of handlers: with -flto its own name is local to the assembler. */
static bool is_type_word(const struct gaps *g, uint64_t at, uint64_t to)
{
	const struct symbols *s = g->l->symbols;
	struct cut c = {g->data + (at - g->begin), g->data + (to - g->begin), false};
	uint64_t word = cut_number(&c, 8);

	for (size_t i = symbols_at(s, word); !c.bad && i < s->n_places && s->place[i].address == word; i++)
		if (at % 8 == 0 && begins(s->place[i].name, "_ZTI"))
			return true;
	return false;
}

/* What is not zero between @from and @to, where no symbol is: told by a unit that lost its symbol, or by nobody. */
static void look_at_gap(struct gaps *g, uint64_t from, uint64_t to)
{
	uint64_t at = from, last;
	size_t told = layouts_variable_behind(g->l, from - 1);
	char text[64];

	while (at < to && (!g->data[at - g->begin] || is_type_word(g, at, to)))
		at += g->data[at - g->begin] ? 8 : 1;
	for (last = to; last > at && !g->data[last - 1 - g->begin];)
		last--;
	if (at == last || (told < g->l->n_variables && g->l->variable[told].address <= at))
		return;
	snprintf(text, sizeof(text), "0x%llx to 0x%llx", (unsigned long long)at,
		 (unsigned long long)last - 1);
	layouts_add_name(&g->x, text);
}

static void look_at_section(struct gaps *g)
{
	const struct symbols *s = g->l->symbols;
	uint64_t at = g->begin;

	for (size_t i = 0; i < s->n_places && s->place[i].address < g->end; i++) {
		const struct image_symbol *p = &s->place[i];
		/* What has no size may be all up to the next symbol; it was looked at by its name. */
		bool sized = p->size || layouts_is_boundary(p);
		uint64_t size = strcmp(p->name, "__dso_handle") ? p->size : 8;

		if (p->type == STT_TLS || p->address < g->begin)
			continue;
		if (p->address > at)
			look_at_gap(g, at, p->address);
		size = size < g->end - p->address ? size : g->end - p->address;
		if (!sized && size < 8)
			size = i + 1 < s->n_places && s->place[i + 1].address < g->end
				       ? s->place[i + 1].address - p->address
				       : g->end - p->address;
		at = p->address + size > at ? p->address + size : at;
	}
	if (at < g->end)
		look_at_gap(g, at, g->end);
}

/* What may be written has a name in all that compilers make. */
static void name_bytes(struct layouts *l)
{
	struct gaps g = {.l = l};

	for (size_t i = 0; i < l->e->n_sections; i++) {
		const Elf64_Shdr *h = &l->e->section[i];
		size_t size;

		g.data = image_bytes(l->e, i, &size);
		g.begin = h->sh_addr;
		g.end = h->sh_addr + size;
		if (g.data && is_data(l->e, i) && h->sh_flags & SHF_WRITE && !(h->sh_flags & SHF_TLS) &&
		    begins(image_section_name(l->e, i), ".data") &&
		    !begins(image_section_name(l->e, i), ".data.rel.ro") && g.begin && g.end > g.begin)
			look_at_section(&g);
	}
	layouts_say_untold(l, &g.x, "no symbol tells what this data is");
}

void layouts_data(struct layouts *l)
{
	name_symbols(l);
	name_bytes(l);
}
