/* SPDX-License-Identifier: MIT */
/*
 * What the dynamic loader, or the start of a static program, writes into the
 * program before it runs: the tables of relocations (RELA, RELR), read once.
 */
#ifndef PERSEUS_VERIFY_ELF_LOADER_H
#define PERSEUS_VERIFY_ELF_LOADER_H

#include "verify/arch/reloc.h"
#include "verify/elf/image.h"

struct store {
	uint64_t place, size; /* bytes that are written */
	uint64_t value;       /* the address that is stored, if known */
	const char *import;   /* of the symbol defined elsewhere whose address is stored, or NULL */
	int64_t addend;       /* added to the import's address */
	enum reloc type;
	bool known; /* value, or import and addend, is all that counts */
	bool meets; /* another store writes into the same bytes */
};

/* Fill e->store, ascending by place. */
void loader_read(struct image *e);

/* The store at exactly @place, or NULL. */
const struct store *loader_at(const struct image *e, uint64_t place);

/* The first store from number *at on that touches @size bytes at @from, or NULL; *at is the one behind it.
 * Begin with *at = 0. */
const struct store *loader_next(const struct image *e, uint64_t from, uint64_t size, size_t *at);

#endif
