/* SPDX-License-Identifier: MIT */
#include "verify/start/startup.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "verify/arch/plt.h"
#include "verify/arch/reloc.h"
#include "verify/arch/toolchain.h"
#include "verify/elf/loader.h"
#include "verify/start/target.h"

struct match {
	const struct image *e;
	const struct symbols *s;
	const uint8_t *at; /* bytes of the code, and how many there are */
	size_t left;
	uint64_t address;
};

static int digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

static bool is_named(const struct symbols *s, const char *name)
{
	for (size_t i = 0; i < s->n_places; i++)
		if (symbols_same(s->place[i].name, name))
			return true;
	return false;
}

static bool in_section(const struct image *e, uint64_t address)
{
	for (size_t i = 0; i < e->n_sections; i++)
		if ((e->section[i].sh_flags & SHF_ALLOC) && address >= e->section[i].sh_addr &&
		    address - e->section[i].sh_addr < e->section[i].sh_size)
			return true;
	return false;
}

/* Nobody stores a pointer there. */
static bool is_null(const struct image *e, uint64_t slot)
{
	static const uint8_t zero[8];
	const uint8_t *data = image_at(e, slot, sizeof(zero));
	size_t at = 0;

	return data && !memcmp(data, zero, sizeof(zero)) && !loader_next(e, slot, sizeof(zero), &at);
}

/* Is the distance or address at hand the one that is described? */
static bool leads(const struct match *m, const char *what, size_t n)
{
	uint64_t behind = 0, to;
	struct target t;
	char name[64];
	int32_t word;

	memcpy(&word, m->at, sizeof(word));
	if (isdigit((unsigned char)*what)) {
		behind = (uint64_t)digit(*what++);
		n--;
	}
	snprintf(name, sizeof(name), "%.*s", (int)n, what);
	to = m->address + 4 + behind + (uint64_t)(int64_t)word;
	if (*name == '=') {
		to = (uint64_t)(int64_t)word;
		memmove(name, name + 1, strlen(name));
	}
	if (*name == '^')
		return !to && m->e->head.e_type == ET_EXEC;
	if (*name == '?')
		return is_named(m->s, name + 1) ? symbols_has(m->s, to, name + 1) : in_section(m->e, to);
	if (*name == '*' && is_null(m->e, to))
		return !strncmp(name + 1, "_ITM_", 5) || !strcmp(name + 1, "__gmon_start__");
	if (*name == '*' || *name == '!') {
		struct insn call = {.flow = FLOW_CALL, .target = to};

		t = *name == '*' ? target_in_slot(m->e, to) : target_of(m->e, m->s, &call);
		return t.known &&
		       (t.import ? symbols_same(t.import, name + 1) : symbols_has(m->s, t.address, name + 1));
	}
	return symbols_has(m->s, to, name);
}

static bool leads_near(const struct match *m, const char *what, size_t n)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)n, what);
	return symbols_has(m->s, m->address + 1 + (uint64_t)(int64_t)(int8_t)*m->at, name);
}

static bool startup_step(struct match *m, size_t n)
{
	if (n > m->left)
		return false;
	m->at += n;
	m->left -= n;
	m->address += n;
	return true;
}

/* Bytes of the code, 0 if it is not this one. */
static uint64_t matches(struct match m, const char *code)
{
	size_t all = m.left;

	if (*code == '~') {
		startup_step(&m, startup_landing(m.at, m.left));
		code++;
	}
	while (*code) {
		const char *end = strchr(code, '}');

		if (*code == '{' && code[1] == '-') {
			if (!m.left || !leads_near(&m, code + 2, (size_t)(end - code) - 2))
				return 0;
			startup_step(&m, 1);
			code = end + 1;
			continue;
		}
		if (*code == '{') {
			if (m.left < 4 || !leads(&m, code + 1, (size_t)(end - code) - 1))
				return 0;
			startup_step(&m, 4);
			code = end + 1;
			continue;
		}
		if (!m.left || *m.at != (digit(code[0]) << 4 | digit(code[1])))
			return 0;
		startup_step(&m, 1);
		code += 2;
	}
	return all - m.left;
}

bool startup_has(const char *name)
{
	for (size_t i = 0; startup_known[i].name; i++)
		if (symbols_same(name, startup_known[i].name))
			return true;
	return false;
}

uint64_t startup_size(const struct image *e, const struct symbols *s, const struct image_symbol *f)
{
	uint64_t size;

	if (f->section >= e->n_sections || !(e->section[f->section].sh_flags & SHF_EXECINSTR))
		return 0;
	for (size_t i = 0; startup_known[i].name; i++) {
		struct match m = {.e = e, .s = s, .address = f->address};

		if (!symbols_same(f->name, startup_known[i].name))
			continue;
		m.at = image_some(e, f->address, 128, &m.left);
		size = m.at ? matches(m, startup_known[i].code) : 0;
		if (size)
			return size;
	}
	return 0;
}

/* Functions of the toolchain's own objects, most of which have no size. */
static void check_code(const struct image *e, const struct symbols *s, struct findings *notes)
{
	for (size_t i = 0; i < s->n_places; i++) {
		const struct image_symbol *f = &s->place[i];

		/* Whatever the table calls them: the loader runs the code. */
		if (f->type != STT_SECTION && f->type != STT_FILE && startup_has(f->name) &&
		    f->section < e->n_sections && e->section[f->section].sh_flags & SHF_EXECINSTR &&
		    !startup_size(e, s, f))
			findings_add(notes, "that %s does what the start-up code of a toolchain does",
				     f->name);
	}
}

/* .init and .fini hold one function each; code of others may have been put between its ends. */
static void check_section(const struct image *e, const struct symbols *s, const char *section,
			  const char *name, uint64_t most, struct findings *notes)
{
	size_t i = image_named(e, section);

	if (i == e->n_sections)
		return;
	if (e->section[i].sh_size > most || !symbols_has(s, e->section[i].sh_addr, name))
		findings_add(notes, "that section %s is the toolchain's alone", section);
}

/* How the toolchain starts the library of a sanitizer: whatever that does, it does in front of all else. */
static bool starts_sanitizer(const struct image *e, size_t section, const struct target *t)
{
	static const char *const names[] = {"__asan_init", "__tsan_init", "__lsan_init", "__hwasan_init"};

	for (size_t i = 0; t->import && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(t->import, names[i]))
			return e->section[section].sh_type == SHT_PREINIT_ARRAY;
	return false;
}

static void startup_check_entry(const struct image *e, const struct symbols *s, size_t section,
				uint64_t place, struct findings *list, struct findings *notes)
{
	struct target t = target_in_slot(e, place);

	if (t.known && starts_sanitizer(e, section, &t)) {
		findings_add(notes, "what the library of a sanitizer does before all else (%s)", t.import);
		return;
	}
	for (size_t i = symbols_at(s, t.address);
	     t.known && !t.import && i < s->n_places && s->place[i].address == t.address; i++)
		if (s->place[i].type == STT_FUNC && strncmp(s->place[i].name, "perseus_", 8))
			return;
	findings_add(list, "an entry of %s leads to %s", image_section_name(e, section), target_name(s, &t));
}

static void check_arrays(const struct image *e, const struct symbols *s, struct findings *list,
			 struct findings *notes)
{
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *h = &e->section[i];
		const char *name = image_section_name(e, i);

		if (!(h->sh_flags & SHF_ALLOC) || h->sh_size > (UINT64_C(1) << 20))
			continue;
		if (!strcmp(name, ".ctors") || !strcmp(name, ".dtors"))
			findings_add(notes, "what runs by section %s", name);
		if (h->sh_type == SHT_INIT_ARRAY || h->sh_type == SHT_FINI_ARRAY ||
		    h->sh_type == SHT_PREINIT_ARRAY)
			for (uint64_t at = 0; at + 8 <= h->sh_size; at += 8)
				startup_check_entry(e, s, i, h->sh_addr + at, list, notes);
	}
}

/* The part of the PLT that asks the loader for a function: with the GOT's second word, by its third. */
static bool is_head(const struct image *e, uint64_t address)
{
	size_t i = image_named(e, ".got.plt"), left;
	uint64_t got = i < e->n_sections ? e->section[i].sh_addr : 0, handed, slot;
	const uint8_t *p = image_some(e, address, 24, &left);

	i = image_named(e, ".got");
	if (!plt_head(p, left, address, &handed, &slot))
		return false;
	if (i < e->n_sections && handed == e->section[i].sh_addr + 8)
		got = e->section[i].sh_addr;
	/* Some linkers have one table only, with these words at its begin or at _GLOBAL_OFFSET_TABLE_. */
	return got && slot == handed + 8 && handed >= got && handed - got <= 4096;
}

/* Where a slot leads before the loader fills it: to code that hands over its number. */
static bool asks_for(const struct image *e, uint64_t address, uint32_t number)
{
	size_t size;
	const uint8_t *p = image_some(e, address, 16, &size);
	uint32_t said;
	uint64_t head;

	return plt_asks(p, size, address, &said, &head) && said == number && is_head(e, head);
}

/* mold's: all slots lead to the head, and the number is in the entry by which they are used. */
static bool is_numbered(const struct image *e, uint64_t slot, uint32_t number)
{
	uint32_t said;
	uint64_t by;

	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *h = &e->section[i];
		size_t size;
		const uint8_t *p = h->sh_flags & SHF_EXECINSTR ? image_bytes(e, i, &size) : NULL;

		if (!p || strcmp(image_section_name(e, i), ".plt"))
			continue;
		for (size_t at = 0; at + PLT_ENTRY_BYTES <= size; at += PLT_ENTRY_BYTES)
			if (plt_numbered(p + at, h->sh_addr + at, &said, &by) && by == slot)
				return said == number;
	}
	return false;
}

/* Calls that are bound when they are made first: by the number of their relocation. */
static void check_lazy(const struct image *e, struct findings *notes)
{
	size_t i = image_named(e, ".rela.plt");
	Elf64_Rela r;

	for (size_t k = 0; i < e->n_sections && image_relocation(e, i, k, &r); k++) {
		const uint8_t *data = image_at(e, r.r_offset, 8);
		uint64_t first = 0;

		if (reloc_of(ELF64_R_TYPE(r.r_info)) != RELOC_CALL_SLOT)
			continue;
		if (data)
			memcpy(&first, data, sizeof(first));
		if (asks_for(e, first, (uint32_t)k) ||
		    (is_head(e, first) && is_numbered(e, r.r_offset, (uint32_t)k)))
			continue;
		findings_add(notes,
			     "that calls by the PLT come to the functions of their slots: slot 0x%llx is "
			     "bound in an unknown way when it is used first (-Wl,-z,now binds before)",
			     (unsigned long long)r.r_offset);
		return;
	}
}

void startup_check(const struct image *e, const struct symbols *s, bool now, struct findings *list,
		   struct findings *notes)
{
	check_code(e, s, notes);
	check_section(e, s, ".init", "_init", startup_init_most, notes);
	check_section(e, s, ".fini", "_fini", startup_fini_most, notes);
	check_arrays(e, s, list, notes);
	if (!now)
		check_lazy(e, notes);
}
