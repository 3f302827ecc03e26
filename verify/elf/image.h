/* SPDX-License-Identifier: MIT */
/*
 * ELF files (64 bit, little-endian) read without trust: every offset
 * is checked before it is used, every structure is copied out.
 */
#ifndef PERSEUS_VERIFY_ELF_IMAGE_H
#define PERSEUS_VERIFY_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>

#include "verify/base/input.h"

struct store;

struct image {
	const char *path;
	struct input in;
	Elf64_Ehdr head;
	Elf64_Shdr *section;
	size_t n_sections;
	const char *names; /* of sections; NUL-terminated as a whole */
	size_t names_size;
	struct store *store; /* filled by loader_read() */
	size_t n_stores;
	uint64_t store_max; /* bytes that the largest of them writes */
};

struct image_symbol {
	const char *name;
	uint64_t address, size;
	uint32_t section;                /* SHN_UNDEF: not defined here */
	unsigned char type, bind, other; /* other: who sees it */
	const char *file; /* source of a local symbol, NULL if that is not known; set by symbols_read() */
};

/* Read @path; -1 if it is not such an ELF file.  Release in every case. */
int image_open(struct image *e, const char *path, struct fault *f);

/* The same for @size bytes at @data, which are copied; @name is what messages call them. */
int image_take(struct image *e, const char *name, const uint8_t *data, size_t size, struct fault *f);

/* Free the contents. */
void image_release(struct image *e);

/* Name of section @i, "" if it has none. */
const char *image_section_name(const struct image *e, size_t i);

/* Bytes of section @i, NULL if they are not in the file; *size is 0 then. */
const uint8_t *image_bytes(const struct image *e, size_t i, size_t *size);

/* @size bytes that are at run time at @address, NULL if the file holds them not. */
const uint8_t *image_at(const struct image *e, uint64_t address, size_t size);

/* The same for the next @most bytes or as many as the section has; *size: how many. */
const uint8_t *image_some(const struct image *e, uint64_t address, size_t most, size_t *size);

/* First section of @type from @from on; n_sections if there is none. */
size_t image_find(const struct image *e, uint32_t type, size_t from);

/* Number of symbols in symbol table section @table; symbol @i of it; false if it is damaged. */
size_t image_symbols(const struct image *e, size_t table);
bool image_symbol(const struct image *e, size_t table, size_t i, struct image_symbol *s);

/* Program header @i; false behind the last of the first SEGMENTS_MAX. */
bool image_segment(const struct image *e, size_t i, Elf64_Phdr *p);

#define SEGMENTS_MAX 128 /* linkers write about a dozen */

/* The one section of @type that is loaded, or n_sections if there is none or more than one. */
size_t image_only(const struct image *e, uint32_t type);

/* The section @name, or n_sections. */
size_t image_named(const struct image *e, const char *name);

/* The compilers that .comment names, in its order, as far as they fit into @text of @size bytes; "" if none. */
void image_compilers(const struct image *e, char *text, size_t size);

/* The text at @at of the strings that section @section links to, or NULL. */
const char *image_text(const struct image *e, size_t section, uint64_t at);

/* Relocation @i of section @section, which is SHT_RELA; false behind the last. */
bool image_relocation(const struct image *e, size_t section, size_t i, Elf64_Rela *r);

#endif
