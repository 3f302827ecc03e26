/* SPDX-License-Identifier: MIT */
/* The instructions of one function of an executable, and the jumps between them. */
#ifndef PERSEUS_VERIFY_ELF_FLOW_H
#define PERSEUS_VERIFY_ELF_FLOW_H

#include "verify/arch/insn.h"
#include "verify/elf/symbols.h"

struct step {
	uint64_t address;
	struct insn insn;
};

struct edge {
	uint64_t to;
	size_t from; /* index of a step */
};

/* What a computed jump takes its target from: distances from the table of 4 bytes, or addresses of 8. */
#define TABLE_MAX   4096 /* entries */
#define TABLE_BYTES (4 * TABLE_MAX)

struct jump_table {
	uint64_t address;
	uint32_t width; /* bytes of an entry */
	uint32_t n;     /* entries */
};

struct body {
	struct step *step; /* ascending address */
	size_t n;
	struct edge *edge; /* ascending target, those inside the body only */
	size_t n_edges;
	struct jump_table *table;
	size_t n_tables;
	uint64_t entry;
	bool readable; /* every byte was understood */
};

/*
 * Decode function @f with the parts of it that the compiler put elsewhere
 * ("work.cold" of "work", either way round).  Release in every case.
 */
void body_read(struct body *b, const struct image *e, const struct symbols *s, const struct image_symbol *f);

/* Free the contents. */
void body_release(struct body *b);

/* Are they "work" and "work.cold", in either order, or the same name? */
bool flow_is_part(const char *a, const char *b);

#define BODY_NONE SIZE_MAX

/* Index of the step at @address, BODY_NONE if none begins there. */
size_t body_at(const struct body *b, uint64_t address);

/* Index of the step that has @address inside, perhaps behind prefixes. */
size_t body_round(const struct body *b, uint64_t address);

/* First edge that leads to @address; n_edges if there is none.  Those that follow with the same `to` do as well. */
size_t body_edges_to(const struct body *b, uint64_t address);

/* True if an entry of one of its tables of jumps begins at @address. */
bool body_has_entry(const struct body *b, uint64_t address);

/* True if step @i only fills the space before an aligned block: nothing comes there. */
bool body_is_padding(const struct body *b, size_t i);

/* True if control can go on behind step @i, and the step there is the next one in the list. */
bool body_falls(const struct body *b, size_t i);

#endif
