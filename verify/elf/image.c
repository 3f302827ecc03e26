/* SPDX-License-Identifier: MIT */
#include "verify/elf/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/arch/reloc.h"

#define IMAGE_BYTES ((size_t)4 << 30)

static bool image_inside(const struct image *e, uint64_t offset, uint64_t size)
{
	return offset <= e->in.size && size <= e->in.size - offset;
}

static int check_head(struct image *e, struct fault *f)
{
	const unsigned char *id = e->head.e_ident;

	if (e->in.size < sizeof(e->head))
		return fault_set(f, "'%s' is not an ELF file", e->path);
	memcpy(&e->head, e->in.data, sizeof(e->head));
	if (memcmp(id, ELFMAG, SELFMAG))
		return fault_set(f, "'%s' is not an ELF file", e->path);
	if (id[EI_CLASS] != ELFCLASS64 || id[EI_DATA] != ELFDATA2LSB || !reloc_is_machine(e->head.e_machine))
		return fault_set(f, "'%s' is not for %s, which is what this program reads", e->path,
				 reloc_machine);
	if (e->head.e_shentsize != sizeof(Elf64_Shdr) || !e->head.e_shoff)
		return fault_set(f, "'%s' has no table of sections", e->path);
	return 0;
}

/* Section 0 holds numbers that do not fit into the head. */
static int read_sections(struct image *e, struct fault *f)
{
	Elf64_Shdr first;
	uint64_t n = e->head.e_shnum, names = e->head.e_shstrndx;

	if (!image_inside(e, e->head.e_shoff, sizeof(first)))
		return fault_set(f, "'%s': the table of sections lies outside the file", e->path);
	memcpy(&first, e->in.data + e->head.e_shoff, sizeof(first));
	n = n ? n : first.sh_size;
	names = names == SHN_XINDEX ? first.sh_link : names;
	if (n > e->in.size / sizeof(first) || !image_inside(e, e->head.e_shoff, n * sizeof(first)))
		return fault_set(f, "'%s': the table of sections lies outside the file", e->path);
	e->section = need((size_t)n, sizeof(first));
	memcpy(e->section, e->in.data + e->head.e_shoff, (size_t)n * sizeof(first));
	e->n_sections = (size_t)n;
	if (names < n) {
		e->names = (const char *)image_bytes(e, (size_t)names, &e->names_size);
		if (e->names_size && e->names[e->names_size - 1])
			e->names_size = 0;
	}
	return 0;
}

int image_open(struct image *e, const char *path, struct fault *f)
{
	*e = (struct image){.path = path};
	if (input_read(&e->in, path, IMAGE_BYTES, f) || check_head(e, f) || read_sections(e, f))
		return -1;
	return 0;
}

int image_take(struct image *e, const char *name, const uint8_t *data, size_t size, struct fault *f)
{
	*e = (struct image){.path = name, .in = {.data = need(size + 1, 1), .size = size}};
	memcpy(e->in.data, data, size);
	if (check_head(e, f) || read_sections(e, f))
		return -1;
	return 0;
}

void image_release(struct image *e)
{
	free(e->section);
	free(e->store);
	input_release(&e->in);
	*e = (struct image){0};
}

const char *image_section_name(const struct image *e, size_t i)
{
	return e->section[i].sh_name < e->names_size ? e->names + e->section[i].sh_name : "";
}

const uint8_t *image_bytes(const struct image *e, size_t i, size_t *size)
{
	const Elf64_Shdr *s = &e->section[i];

	*size = 0;
	if (s->sh_type == SHT_NOBITS || s->sh_type == SHT_NULL || !image_inside(e, s->sh_offset, s->sh_size))
		return NULL;
	*size = (size_t)s->sh_size;
	return e->in.data + s->sh_offset;
}

const uint8_t *image_some(const struct image *e, uint64_t address, size_t most, size_t *size)
{
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *s = &e->section[i];
		size_t bytes;
		const uint8_t *data;

		if (!(s->sh_flags & SHF_ALLOC) || address < s->sh_addr || address - s->sh_addr >= s->sh_size)
			continue;
		data = image_bytes(e, i, &bytes);
		if (!data)
			continue;
		bytes -= (size_t)(address - s->sh_addr);
		*size = bytes < most ? bytes : most;
		return data + (address - s->sh_addr);
	}
	*size = 0;
	return NULL;
}

const uint8_t *image_at(const struct image *e, uint64_t address, size_t size)
{
	size_t n;
	const uint8_t *data = image_some(e, address, size, &n);

	return n == size ? data : NULL;
}

size_t image_find(const struct image *e, uint32_t type, size_t from)
{
	while (from < e->n_sections && e->section[from].sh_type != type)
		from++;
	return from;
}

size_t image_only(const struct image *e, uint32_t type)
{
	size_t found = e->n_sections;

	for (size_t i = image_find(e, type, 0); i < e->n_sections; i = image_find(e, type, i + 1)) {
		if (!(e->section[i].sh_flags & SHF_ALLOC) || !e->section[i].sh_size)
			continue;
		if (found < e->n_sections)
			return e->n_sections;
		found = i;
	}
	return found;
}

size_t image_named(const struct image *e, const char *name)
{
	size_t i = 0;

	while (i < e->n_sections && strcmp(image_section_name(e, i), name))
		i++;
	return i;
}

bool image_segment(const struct image *e, size_t i, Elf64_Phdr *p)
{
	uint64_t at = e->head.e_phoff + i * sizeof(*p);

	if (i >= e->head.e_phnum || i >= SEGMENTS_MAX || e->head.e_phentsize != sizeof(*p) ||
	    !image_inside(e, e->head.e_phoff, 0) || !image_inside(e, at, sizeof(*p)))
		return false;
	memcpy(p, e->in.data + at, sizeof(*p));
	return true;
}

size_t image_symbols(const struct image *e, size_t table)
{
	size_t size;

	return image_bytes(e, table, &size) ? size / sizeof(Elf64_Sym) : 0;
}

bool image_symbol(const struct image *e, size_t table, size_t i, struct image_symbol *s)
{
	size_t size, strings_size = 0, link = e->section[table].sh_link;
	const uint8_t *data = image_bytes(e, table, &size);
	const char *strings = NULL;
	Elf64_Sym sym;

	if (!data || i >= size / sizeof(sym) || link >= e->n_sections)
		return false;
	strings = (const char *)image_bytes(e, link, &strings_size);
	memcpy(&sym, data + i * sizeof(sym), sizeof(sym));
	if (!strings || sym.st_name >= strings_size || strings[strings_size - 1])
		return false;
	*s = (struct image_symbol){.name = strings + sym.st_name,
				   .address = sym.st_value,
				   .size = sym.st_size,
				   .section = sym.st_shndx,
				   .type = ELF64_ST_TYPE(sym.st_info),
				   .bind = ELF64_ST_BIND(sym.st_info),
				   .other = sym.st_other};
	return true;
}

const char *image_text(const struct image *e, size_t section, uint64_t at)
{
	size_t link = e->section[section].sh_link, size = 0;
	const char *s = link < e->n_sections ? (const char *)image_bytes(e, link, &size) : NULL;

	return s && at < size && !s[size - 1] ? s + at : NULL;
}

bool image_relocation(const struct image *e, size_t section, size_t i, Elf64_Rela *r)
{
	size_t size;
	const uint8_t *data = image_bytes(e, section, &size);

	if (!data || i >= size / sizeof(*r))
		return false;
	memcpy(r, data + i * sizeof(*r), sizeof(*r));
	return true;
}

void image_compilers(const struct image *e, char *text, size_t size)
{
	size_t bytes = 0, n = 0;
	const char *words = NULL;

	text[0] = '\0';
	for (size_t i = 0; !words && i < e->n_sections; i++)
		if (!strcmp(image_section_name(e, i), ".comment"))
			words = (const char *)image_bytes(e, i, &bytes);
	for (size_t at = 0, len; words && at < bytes; at += len + 1) {
		len = strnlen(words + at, bytes - at);
		if (!len || len + 3 > size - n)
			continue;
		n += (size_t)snprintf(text + n, size - n, "%s%.*s", n ? ", " : "", (int)len, words + at);
	}
}
