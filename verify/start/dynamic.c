/* SPDX-License-Identifier: MIT */
#include "verify/start/dynamic.h"

#include <stdlib.h>
#include <string.h>

#include "verify/arch/reloc.h"
#include "verify/elf/hashes.h"
#include "verify/elf/loader.h"

#ifndef SHT_RELR
#define SHT_RELR   19
#define DT_RELRSZ  35
#define DT_RELR    36
#define DT_RELRENT 37
#endif
#define ENTRIES_MAX 256 /* linkers write about thirty */

struct table {
	const struct image *e;
	const struct symbols *s;
	Elf64_Dyn entry[ENTRIES_MAX];
	size_t n;
	struct findings *list, *notes;
};

static const Elf64_Dyn *dynamic_find(const struct table *t, int64_t tag)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->entry[i].d_tag == tag)
			return &t->entry[i];
	return NULL;
}

static uint64_t value(const struct table *t, int64_t tag)
{
	const Elf64_Dyn *d = dynamic_find(t, tag);

	return d ? d->d_un.d_val : 0;
}

/* The table that the segment names is the section's, and ends in it. */
static bool read_table(struct table *t)
{
	size_t i = image_find(t->e, SHT_DYNAMIC, 0), size = 0;
	const uint8_t *data = i < t->e->n_sections ? image_bytes(t->e, i, &size) : NULL;
	bool named = false, right = false;
	Elf64_Phdr p;

	for (size_t k = 0; image_segment(t->e, k, &p); k++) {
		if (p.p_type != PT_DYNAMIC)
			continue;
		named = true;
		right = data && p.p_vaddr == t->e->section[i].sh_addr;
	}
	if (!named && !data)
		return false;
	if (!right || image_find(t->e, SHT_DYNAMIC, i + 1) < t->e->n_sections) {
		findings_add(t->list, "the loader is shown another table than the section .dynamic");
		return false;
	}
	for (size_t at = 0; at + sizeof(Elf64_Dyn) <= size && t->n < ENTRIES_MAX; at += sizeof(Elf64_Dyn)) {
		memcpy(&t->entry[t->n], data + at, sizeof(Elf64_Dyn));
		if (t->entry[t->n].d_tag == DT_NULL)
			return true;
		t->n++;
	}
	findings_add(t->list, "the section .dynamic has no end");
	return false;
}

static void differs(const struct table *t, const char *what)
{
	findings_add(t->list, "the loader is shown another %s than the sections have", what);
}

/* @tag is the address, @bytes the size of the one section of @type; 0: none is given. */
static void check_one(const struct table *t, const char *what, int64_t tag, int64_t bytes, uint32_t type)
{
	size_t i = image_only(t->e, type), first = image_find(t->e, type, 0);
	const Elf64_Dyn *d = dynamic_find(t, tag);
	bool there = first < t->e->n_sections && t->e->section[first].sh_size;

	if (!d && !there)
		return;
	/* Linkers may name a table that is empty. */
	if (d && !there && bytes && !value(t, bytes))
		return;
	if (!d || i == t->e->n_sections || d->d_un.d_ptr != t->e->section[i].sh_addr ||
	    (bytes && value(t, bytes) != t->e->section[i].sh_size))
		differs(t, what);
}

/* Are @size bytes from @from on whole sections of relocations? */
static bool is_whole(const struct image *e, uint64_t from, uint64_t size)
{
	uint64_t covered = 0;

	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *h = &e->section[i];

		if (h->sh_type != SHT_RELA || !(h->sh_flags & SHF_ALLOC) || h->sh_addr < from ||
		    h->sh_addr - from >= size)
			continue;
		if (h->sh_size > size - (h->sh_addr - from) || h->sh_entsize != sizeof(Elf64_Rela))
			return false;
		covered += h->sh_size;
	}
	return covered == size;
}

static bool is_in(const Elf64_Shdr *h, uint64_t from, uint64_t size)
{
	return h->sh_addr >= from && h->sh_addr - from < size;
}

static void check_relocations(const struct table *t)
{
	uint64_t rela = value(t, DT_RELA), bytes = value(t, DT_RELASZ);
	uint64_t jump = value(t, DT_JMPREL), jump_bytes = value(t, DT_PLTRELSZ);
	bool right = is_whole(t->e, rela, bytes) && is_whole(t->e, jump, jump_bytes);

	for (size_t i = 0; i < t->e->n_sections; i++) {
		const Elf64_Shdr *h = &t->e->section[i];

		if (h->sh_type == SHT_RELA && h->sh_flags & SHF_ALLOC && h->sh_size)
			right &= is_in(h, rela, bytes) || is_in(h, jump, jump_bytes);
	}
	right &= !bytes || value(t, DT_RELAENT) == sizeof(Elf64_Rela);
	right &= !jump_bytes || value(t, DT_PLTREL) == DT_RELA;
	right &= !dynamic_find(t, DT_RELR) || value(t, DT_RELRENT) == 8;
	if (!right || dynamic_find(t, DT_REL))
		differs(t, "table of relocations");
}

static bool is_fresh(const struct table *t, uint64_t got)
{
	static const uint8_t zero[16];
	size_t i = image_find(t->e, SHT_DYNAMIC, 0);
	const uint8_t *data = image_at(t->e, got, 24);
	uint64_t first;

	if (!data)
		return !value(t, DT_PLTRELSZ);
	memcpy(&first, data, sizeof(first));
	return (!first || first == t->e->section[i].sh_addr) && !memcmp(data + 8, zero, sizeof(zero));
}

/* Two words of it are the loader's, by which calls come to it. */
static void check_got(const struct table *t)
{
	size_t k = symbols_named(t->s, "_GLOBAL_OFFSET_TABLE_"), i = image_named(t->e, ".got.plt");
	const Elf64_Dyn *d = dynamic_find(t, DT_PLTGOT);
	uint64_t at = i < t->e->n_sections ? t->e->section[i].sh_addr : 0;

	if (k < t->s->n_places)
		at = t->s->by_name[k]->address;
	if (d && at && d->d_un.d_ptr != at)
		differs(t, "table of addresses");
	if (!d && value(t, DT_PLTRELSZ))
		differs(t, "table of addresses");
	/* What prelinking once left in the loader's own words is still believed by it. */
	if (d && !is_fresh(t, d->d_un.d_ptr))
		differs(t, "table of addresses");
}

/* Those that count from the program's own begin have none; a copy lies where its symbol does, for all to see. */
static bool has_symbol(const struct table *t, const Elf64_Shdr *h, const Elf64_Rela *r)
{
	enum reloc type = reloc_of(ELF64_R_TYPE(r->r_info));
	struct image_symbol s;

	if (type == RELOC_RELATIVE || type == RELOC_RESOLVED)
		return !ELF64_R_SYM(r->r_info);
	if (h->sh_link >= t->e->n_sections || !image_symbol(t->e, h->sh_link, ELF64_R_SYM(r->r_info), &s))
		return false;
	return type != RELOC_COPY ||
	       (s.address == r->r_offset && s.section != SHN_UNDEF &&
		ELF64_ST_VISIBILITY(s.other) == STV_DEFAULT && symbols_has(t->s, s.address, s.name));
}

/* Those by which calls are bound when they are made first are of one kind; all are of kinds that loaders know. */
static void check_kinds(const struct table *t)
{
	uint64_t jump = value(t, DT_JMPREL), bytes = value(t, DT_PLTRELSZ);

	for (size_t i = image_find(t->e, SHT_RELA, 0); i < t->e->n_sections;
	     i = image_find(t->e, SHT_RELA, i + 1)) {
		const Elf64_Shdr *h = &t->e->section[i];
		bool by_call = h->sh_addr >= jump && h->sh_addr - jump < bytes;
		Elf64_Rela r;

		for (size_t k = 0; h->sh_flags & SHF_ALLOC && image_relocation(t->e, i, k, &r); k++) {
			enum reloc type = reloc_of(ELF64_R_TYPE(r.r_info));
			bool is_call =
				type == RELOC_CALL_SLOT || type == RELOC_RESOLVED || type == RELOC_DESCRIPTOR;
			bool is_other = type == RELOC_ADDRESS || type == RELOC_COPY ||
					type == RELOC_DATA_SLOT || type == RELOC_RELATIVE ||
					type == RELOC_MODULE || type == RELOC_IN_MODULE ||
					type == RELOC_FROM_THREAD;

			if ((!is_call && (by_call || !is_other)) || !has_symbol(t, h, &r)) {
				findings_add(t->list,
					     "the relocation of 0x%llx is of a kind that is not made there",
					     (unsigned long long)r.r_offset);
				return;
			}
		}
	}
}

/* The first ones are taken for relative ones without a look at their type. */
static void check_relative(const struct table *t)
{
	uint64_t n = value(t, 0x6ffffff9 /* DT_RELACOUNT */), at = value(t, DT_RELA);

	for (uint64_t i = 0; i < n; i++, at += sizeof(Elf64_Rela)) {
		const uint8_t *data = image_at(t->e, at, sizeof(Elf64_Rela));
		Elf64_Rela r = {0};

		if (data)
			memcpy(&r, data, sizeof(r));
		if (!data || reloc_of(ELF64_R_TYPE(r.r_info)) != RELOC_RELATIVE) {
			differs(t, "number of relative relocations");
			return;
		}
	}
}

static void check_symbols(const struct table *t)
{
	size_t i = image_only(t->e, SHT_DYNSYM), k;
	const Elf64_Shdr *strings;

	check_one(t, "table of symbols", DT_SYMTAB, 0, SHT_DYNSYM);
	if (i == t->e->n_sections)
		return;
	k = t->e->section[i].sh_link;
	strings = k < t->e->n_sections ? &t->e->section[k] : NULL;
	if (!strings || value(t, DT_STRTAB) != strings->sh_addr || value(t, DT_STRSZ) != strings->sh_size ||
	    value(t, DT_SYMENT) != sizeof(Elf64_Sym))
		differs(t, "table of names");
}

/* Functions that run before and behind all others. */
static void check_start(const struct table *t, const char *what, int64_t tag, const char *section)
{
	size_t i = image_named(t->e, section);
	const Elf64_Dyn *d = dynamic_find(t, tag);
	size_t k = d ? symbols_at(t->s, d->d_un.d_ptr) : t->s->n_places;

	if (!d || (i < t->e->n_sections && d->d_un.d_ptr == t->e->section[i].sh_addr))
		return;
	findings_add(t->list, "%s is %s, expected the toolchain's section %s", what,
		     k < t->s->n_places ? t->s->place[k].name : "code without a name", section);
}

static void check_flags(const struct table *t)
{
	uint64_t flags = value(t, DT_FLAGS), more = value(t, DT_FLAGS_1);

	if (dynamic_find(t, DT_TEXTREL) || flags & DF_TEXTREL)
		findings_add(t->notes, "that the loader leaves its code as it is: it asks for relocations of "
				       "code (DT_TEXTREL)");
	if (flags & ~(uint64_t)(DF_ORIGIN | DF_SYMBOLIC | DF_TEXTREL | DF_BIND_NOW | DF_STATIC_TLS) ||
	    more & ~(uint64_t)(DF_1_NOW | DF_1_GLOBAL | DF_1_NODELETE | DF_1_NOOPEN | DF_1_ORIGIN |
			       0x08000000))
		findings_add(t->notes, "what its unusual flags ask of the loader (DT_FLAGS 0x%llx, 0x%llx)",
			     (unsigned long long)flags, (unsigned long long)more);
}

static const char *dynamic_text(const struct table *t, uint64_t at)
{
	size_t i = image_only(t->e, SHT_DYNSYM);
	const char *s = i < t->e->n_sections ? image_text(t->e, i, at) : NULL;

	return s ? s : "?";
}

static bool dynamic_is_known(int64_t tag)
{
	static const int64_t known[] = {DT_NEEDED,        DT_PLTRELSZ,        DT_PLTGOT,
					DT_HASH,          DT_STRTAB,          DT_SYMTAB,
					DT_RELA,          DT_RELASZ,          DT_RELAENT,
					DT_STRSZ,         DT_SYMENT,          DT_INIT,
					DT_FINI,          DT_SONAME,          DT_RPATH,
					DT_SYMBOLIC,      DT_PLTREL,          DT_DEBUG,
					DT_TEXTREL,       DT_JMPREL,          DT_BIND_NOW,
					DT_INIT_ARRAY,    DT_FINI_ARRAY,      DT_INIT_ARRAYSZ,
					DT_RUNPATH,       DT_FINI_ARRAYSZ,    DT_FLAGS,
					DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ, DT_RELRSZ,
					DT_RELR,          DT_RELRENT,         DT_GNU_HASH,
					DT_VERSYM,        DT_RELACOUNT,       DT_FLAGS_1,
					DT_VERDEF,        DT_VERDEFNUM,       DT_VERNEED,
					DT_VERNEEDNUM,    DT_AUDIT,           DT_DEPAUDIT,
					DT_TLSDESC_PLT,   DT_TLSDESC_GOT,     0x70000000,
					0x70000001,       0x70000003};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i] == tag)
			return true;
	return false;
}

static void check_entries(const struct table *t, struct needed *out)
{
	for (size_t i = 0; i < t->n; i++) {
		const Elf64_Dyn *d = &t->entry[i];

		if (d->d_tag == DT_NEEDED) {
			out->name = need_more(out->name, out->n, sizeof(*out->name));
			out->name[out->n++] = dynamic_text(t, d->d_un.d_val);
			continue;
		}
		if (d->d_tag == DT_AUDIT || d->d_tag == DT_DEPAUDIT)
			findings_add(t->list, "it asks for a library that audits its calls");
		else if (d->d_tag == DT_RPATH || d->d_tag == DT_RUNPATH)
			findings_add(t->notes,
				     "that the libraries are the system's: they are sought in '%s' first",
				     dynamic_text(t, d->d_un.d_val));
		else if (!dynamic_is_known(d->d_tag))
			findings_add(t->notes, "what the unknown entry 0x%llx of .dynamic asks of the loader",
				     (unsigned long long)d->d_tag);
		if (dynamic_find(t, d->d_tag) != d)
			findings_add(t->list, "the entry 0x%llx of .dynamic is there twice",
				     (unsigned long long)d->d_tag);
	}
}

/* The table by which libraries find what the program exports, and its symbols: all of it. */
static void check_hashes(const struct table *t)
{
	size_t table = image_only(t->e, SHT_DYNSYM);

	if (image_only(t->e, SHT_GNU_HASH) == t->e->n_sections || table == t->e->n_sections) {
		if (dynamic_find(t, DT_HASH))
			findings_add(t->notes, "that the loader finds what the program exports (DT_HASH)");
		return;
	}
	if (!hashes_are_right(t->e, table))
		differs(t, "hash table");
}

static void check_table(const struct table *t, struct needed *out)
{
	check_one(t, "hash table", DT_HASH, 0, SHT_HASH);
	check_one(t, "hash table", DT_GNU_HASH, 0, SHT_GNU_HASH);
	check_one(t, "table of versions", DT_VERSYM, 0, SHT_GNU_versym);
	check_one(t, "table of versions", DT_VERNEED, 0, SHT_GNU_verneed);
	check_one(t, "table of relocations", DT_RELR, DT_RELRSZ, SHT_RELR);
	check_one(t, ".init_array", DT_INIT_ARRAY, DT_INIT_ARRAYSZ, SHT_INIT_ARRAY);
	check_one(t, ".fini_array", DT_FINI_ARRAY, DT_FINI_ARRAYSZ, SHT_FINI_ARRAY);
	check_one(t, ".preinit_array", DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ, SHT_PREINIT_ARRAY);
	check_symbols(t);
	check_hashes(t);
	check_relocations(t);
	check_got(t);
	check_relative(t);
	check_kinds(t);
	check_start(t, "what runs first (DT_INIT)", DT_INIT, ".init");
	check_start(t, "what runs last (DT_FINI)", DT_FINI, ".fini");
	check_flags(t);
	check_entries(t, out);
}

static const Elf64_Shdr *section_round(const struct image *e, uint64_t address)
{
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *h = &e->section[i];

		if (h->sh_flags & SHF_ALLOC && !(h->sh_flags & SHF_TLS && h->sh_type == SHT_NOBITS) &&
		    address >= h->sh_addr && address - h->sh_addr < h->sh_size)
			return h;
	}
	return NULL;
}

/* The status begins with the address of the table of threads. */
static bool is_planned(const struct symbols *s, const struct image_symbol *v, const struct store *at)
{
	size_t k = symbols_named(s, "perseus_thread_table");

	return !strcmp(v->name, "perseus_status") && at->place == v->address && at->known && !at->import &&
	       k < s->n_places && at->value == s->by_name[k]->address;
}

/* A generated variable into which nothing may be written before the program runs. */
static const char *planned_round(const struct symbols *s, const struct store *at)
{
	static const char *const names[] = {"perseus_plan_sha256", "perseus_thread_table", "perseus_status",
					    "perseus_state", "perseus_instance"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t k = symbols_named(s, names[i]);
		const struct image_symbol *v = k < s->n_places ? s->by_name[k] : NULL;

		if (v && v->type == STT_OBJECT && at->place < v->address + v->size &&
		    at->place + at->size > v->address && !is_planned(s, v, at))
			return v->name;
	}
	return NULL;
}

/* Relocations write into data, and those for the addresses of functions into tables of their own. */
static bool is_writable(const struct image *e, const Elf64_Shdr *h, const struct store *at)
{
	bool is_data = h->sh_type == SHT_PROGBITS || h->sh_type == SHT_NOBITS ||
		       h->sh_type == SHT_INIT_ARRAY || h->sh_type == SHT_FINI_ARRAY ||
		       h->sh_type == SHT_PREINIT_ARRAY;

	if (at->type == RELOC_DATA_SLOT || at->type == RELOC_CALL_SLOT)
		return !strncmp(image_section_name(e, (size_t)(h - e->section)), ".got", 4) &&
		       !(at->place % 8);
	return is_data && h->sh_flags & SHF_WRITE && at->size <= h->sh_size - (at->place - h->sh_addr);
}

static void check_stores(const struct table *t)
{
	for (size_t i = 0; i < t->e->n_stores; i++) {
		const struct store *at = &t->e->store[i];
		const Elf64_Shdr *h = section_round(t->e, at->place);
		const char *variable = planned_round(t->s, at);

		if (!h || h->sh_flags & SHF_EXECINSTR)
			findings_add(t->list, "a relocation writes to 0x%llx, which is %s",
				     (unsigned long long)at->place, h ? "code" : "in no section");
		else if (!is_writable(t->e, h, at))
			findings_add(t->list, "a relocation writes to 0x%llx, which is in section %s",
				     (unsigned long long)at->place,
				     image_section_name(t->e, (size_t)(h - t->e->section)));
		if (variable)
			findings_add(t->list, "a relocation writes into %s", variable);
		if (at->meets)
			findings_add(t->list, "two relocations write to 0x%llx",
				     (unsigned long long)at->place);
	}
}

void dynamic_check(const struct image *e, const struct symbols *s, struct needed *out, struct findings *list,
		   struct findings *notes)
{
	struct table t = {.e = e, .s = s, .list = list, .notes = notes};

	*out = (struct needed){0};
	if (read_table(&t))
		check_table(&t, out);
	out->now = dynamic_find(&t, DT_BIND_NOW) || value(&t, DT_FLAGS) & DF_BIND_NOW ||
		   value(&t, DT_FLAGS_1) & DF_1_NOW;
	check_stores(&t);
}

void dynamic_release(struct needed *n)
{
	free(n->name);
	*n = (struct needed){0};
}

/* Only what has no version of its own, and not another library's, is found whatever version is asked for. */
static bool is_hidden(const struct image *e, size_t number)
{
	size_t i = image_only(e, SHT_GNU_versym), size = 0;
	const uint8_t *data = i < e->n_sections ? image_bytes(e, i, &size) : NULL;
	uint16_t version;

	if (!data)
		return false;
	if (number >= size / 2)
		return true;
	memcpy(&version, data + 2 * number, 2);
	return version != VER_NDX_GLOBAL;
}

bool dynamic_finds(const struct image *e, const char *name)
{
	size_t table = image_only(e, SHT_DYNSYM), n = table < e->n_sections ? image_symbols(e, table) : 0;
	struct image_symbol s;

	for (size_t i = 1; i < n; i++)
		if (image_symbol(e, table, i, &s) && !strcmp(s.name, name) && s.section != SHN_UNDEF)
			return !is_hidden(e, i) && (ELF64_ST_VISIBILITY(s.other) == STV_DEFAULT ||
						    ELF64_ST_VISIBILITY(s.other) == STV_PROTECTED);
	return false;
}
