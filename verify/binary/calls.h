/* SPDX-License-Identifier: MIT */
/*
 * Calls of generated functions in machine code.  Not a disassembler: every
 * byte is tried as the start of a call or jump, and only those count whose
 * 32-bit displacement hits exactly the first byte of a generated function.
 * That four bytes of something else do so by chance is one in 2^32 per byte.
 */
#ifndef PERSEUS_VERIFY_BINARY_CALLS_H
#define PERSEUS_VERIFY_BINARY_CALLS_H

#include "verify/elf/symbols.h"

struct call {
	struct generated_symbol *to;
	uint64_t from;                    /* address of the instruction */
	const struct image_symbol *where; /* function round it, or NULL */
};

struct calls {
	struct call *call;
	size_t n;
	/* What a distance in the data leads to, if it is one, and where it stands; NULL: there is none. */
	const struct generated_symbol *distant;
	uint64_t distance;
};

/*
 * Find all calls and jumps to generated functions, ascending address, and
 * count them in the symbols, as well as places that take such an address
 * (an indirect call could come from there).
 */
void calls_find(struct calls *out, const struct image *e, struct symbols *s);

/* Free the contents. */
void calls_release(struct calls *c);

#endif
