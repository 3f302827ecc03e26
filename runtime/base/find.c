/* SPDX-License-Identifier: MIT */
/*
 * Symbols of loaded objects, by their own tables.  dlsym() allocates when it
 * finds nothing (a message), at a time when the program has not allocated yet:
 * all blocks of its heap would lie elsewhere than in the plain program.
 */
#ifndef PRS_STATIC

#include <link.h>
#include <string.h>

#include "runtime/base/find.h"
#include "runtime/base/rt.h"

#define HIDDEN 0x8000u /* of a version number: not the default one */

struct tables {
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *gnu, *sysv;
	const uint16_t *versions;
	const unsigned char *definitions; /* ElfW(Verdef) */
	uint64_t n_definitions;
};

struct search {
	const void *own;
	const char *name, *version;
	bool behind;
	void *found;
};

/* libc's loader turns these into addresses, but not where it cannot write. */
static const void *absolute(const struct dl_phdr_info *info, uint64_t p)
{
	return (const void *)(p < info->dlpi_addr ? p + info->dlpi_addr : p);
}

static void read_dynamic(const struct dl_phdr_info *info, const ElfW(Dyn) * d, struct tables *t)
{
	for (; d->d_tag != DT_NULL; d++) {
		const void *p = absolute(info, d->d_un.d_ptr);

		if (d->d_tag == DT_SYMTAB)
			t->symbols = p;
		else if (d->d_tag == DT_STRTAB)
			t->strings = p;
		else if (d->d_tag == DT_GNU_HASH)
			t->gnu = p;
		else if (d->d_tag == DT_HASH)
			t->sysv = p;
		else if (d->d_tag == DT_VERSYM)
			t->versions = p;
		else if (d->d_tag == DT_VERDEF)
			t->definitions = p;
		else if (d->d_tag == DT_VERDEFNUM)
			t->n_definitions = d->d_un.d_val;
	}
}

/* The number that the object gives to @version, 0: it has none of that name. */
static uint32_t version_number(const struct tables *t, const char *version)
{
	const unsigned char *at = t->definitions;

	for (uint64_t i = 0; version && at && i < t->n_definitions; i++) {
		const ElfW(Verdef) *d = (const ElfW(Verdef) *)at;
		const ElfW(Verdaux) *a = (const ElfW(Verdaux) *)(at + d->vd_aux);

		if (!strcmp(t->strings + a->vda_name, version))
			return d->vd_ndx & ~HIDDEN;
		at += d->vd_next;
	}
	return 0;
}

static bool base_find_fits(const struct tables *t, uint32_t i, const char *name, uint32_t version)
{
	const ElfW(Sym) *s = &t->symbols[i];
	unsigned type = s->st_info & 15, bind = s->st_info >> 4;

	if (!s->st_shndx || !s->st_value || bind == STB_LOCAL ||
	    (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC) ||
	    strcmp(t->strings + s->st_name, name) != 0)
		return false;
	if (!t->versions)
		return true;
	return version ? (t->versions[i] & ~HIDDEN) == version : !(t->versions[i] & HIDDEN);
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

/* Index of the symbol, 0: it is not there. */
static uint32_t by_gnu(const struct tables *t, const char *name, uint32_t version)
{
	uint32_t n = t->gnu[0], first = t->gnu[1], words = t->gnu[2], shift = t->gnu[3];
	const uint64_t *bloom = (const uint64_t *)(t->gnu + 4);
	const uint32_t *bucket = (const uint32_t *)(bloom + words), *chain = bucket + n;
	uint32_t h = gnu_hash(name), i;
	uint64_t word = bloom[h / 64 & (words - 1)];

	if (!n || !(word >> h % 64 & word >> (h >> shift) % 64 & 1))
		return 0;
	i = bucket[h % n];
	for (; i >= first && i; i++) {
		if ((chain[i - first] | 1) == (h | 1) && base_find_fits(t, i, name, version))
			return i;
		if (chain[i - first] & 1)
			break;
	}
	return 0;
}

static uint32_t by_sysv(const struct tables *t, const char *name, uint32_t version)
{
	for (uint32_t i = 1; i < t->sysv[1]; i++)
		if (base_find_fits(t, i, name, version))
			return i;
	return 0;
}

static void *symbol_of(const struct dl_phdr_info *info, const ElfW(Dyn) * dynamic, const struct search *s)
{
	struct tables t = {0};
	uint32_t version, i;
	uint64_t at;

	read_dynamic(info, dynamic, &t);
	if (!t.symbols || !t.strings || (!t.gnu && !t.sysv))
		return NULL;
	version = version_number(&t, s->version);
	i = t.gnu ? by_gnu(&t, s->name, version) : by_sysv(&t, s->name, version);
	if (!i && version)
		i = t.gnu ? by_gnu(&t, s->name, 0) : by_sysv(&t, s->name, 0);
	if (!i)
		return NULL;
	at = info->dlpi_addr + t.symbols[i].st_value;
	return (t.symbols[i].st_info & 15) == STT_GNU_IFUNC ? ((void *(*)(void))at)() : (void *)at;
}

static int base_find_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	const ElfW(Dyn) *dynamic = NULL;
	bool own = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)start;
		if (ph->p_type == PT_LOAD)
			own |= (uint64_t)s->own - start < ph->p_memsz;
	}
	if (s->behind && dynamic)
		s->found = symbol_of(info, dynamic, s);
	s->behind |= own;
	return s->found != NULL;
}

void *find_behind(const void *own, const char *name, const char *version)
{
	struct search s = {.own = own, .name = name, .version = version};

	dl_iterate_phdr(base_find_look, &s);
	return s.found;
}
#else
typedef int nothing_to_look_up;
#endif
