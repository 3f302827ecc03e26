/* SPDX-License-Identifier: MIT */
/* References of an object: does what the linker wrote for them lead where the object asks for? */
#ifndef PERSEUS_VERIFY_OBJECTS_REFERENCES_H
#define PERSEUS_VERIFY_OBJECTS_REFERENCES_H

#include "verify/binary/binary.h"
#include "verify/objects/closure.h"
#include "verify/start/target.h"

#define NOWHERE UINT64_MAX

/* A stretch of a section: a function, a variable, or a whole section without names. */
struct stretch {
	size_t section;
	uint64_t offset, size;
	uint64_t address; /* in the executable */
};

/* A function of the object that the executable has. */
struct code {
	struct stretch at;
	const char *name;
	unsigned char bind;
};

/* Linkers count from the thread pointer, where the block ends, or from its begin. */
enum thread_base { THREAD_UNKNOWN, THREAD_END, THREAD_BEGIN };

/* One object against one executable. */
struct compare {
	struct closure *closure;
	const struct image *e;
	const struct binary *b;
	size_t table;        /* the object's symbols */
	uint64_t *base;      /* by section: where its first byte is in the executable, as references say */
	uint64_t *learnt;    /* a copy of it */
	uint64_t first, tls; /* where first values of thread-local variables are, size of their block */
	enum thread_base base_of_unit; /* from which the variables of a unit are counted */
	struct code *code;             /* found so far */
	size_t n_code;
	uint32_t relocations;
};

/* What a relocation's place holds, and the bytes round it. */
struct place {
	const struct stretch *at;
	const uint8_t *ours, *theirs; /* of the stretch */
	uint64_t k;                   /* offset of the place in it */
	Elf64_Rela r;
	struct image_symbol s;
	bool is_covered; /* what stands there belongs to a reference in front */
};

/* Names that the assembler keeps to itself, and sections. */
bool reference_is_anonymous(const struct image_symbol *s);

/* What need not be defined, and is not: it is at 0. */
bool reference_is_nothing(const struct compare *c, const struct image_symbol *s);

/* Is the executable's name @theirs the object's @ours, or what the linker's --wrap makes of it? */
bool reference_is_called(const char *theirs, const char *ours);

/* A function or variable with a name and a size. */
bool reference_is_sized(const struct image_symbol *s);

/*
 * Is section @section of the object at @base in the executable?  All names of it say so, or what was learnt before;
 * that is kept in c->base, since what has no name must be where its whole section is.
 */
bool reference_learn(struct compare *c, size_t section, uint64_t base);

/*
 * Does code or data at @t, without the reference's addend, have what the object calls @s?  @addend: where in a
 * section without names.  What is learnt about sections goes into c->base.
 */
bool reference_leads(struct compare *c, const struct image_symbol *s, const struct target *t, int64_t addend);

/* What follows is the processor's, in arch/. */

/* Is what the linker wrote at @p what the relocation asks for? */
bool reference_is_right(struct compare *c, const struct place *p);

/* Set the bytes of @mask, of @p->at, that a linker may write for @p, and that reference_is_right() looks at. */
void reference_mark(uint8_t *mask, const struct place *p);

#endif
