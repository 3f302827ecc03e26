/* SPDX-License-Identifier: MIT */
/* The symbols of an executable: functions by address, and what codegen defines. */
#ifndef PERSEUS_VERIFY_ELF_SYMBOLS_H
#define PERSEUS_VERIFY_ELF_SYMBOLS_H

#include "verify/elf/image.h"

enum generated {
	GEN_TRIGGER,       /* perseus_trigger_NNNN */
	GEN_PROGRAM_START, /* perseus_program_start */
	GEN_CREATE_BEGIN,  /* perseus_create_K_begin */
	GEN_CREATE_END,
	GEN_FLUSH_BEGIN, /* perseus_flush_K_begin */
	GEN_FLUSH_END,
	GEN_HASH,  /* perseus_plan_sha256 */
	GEN_TABLE, /* perseus_thread_table */
	GEN_KINDS,
	GEN_OTHER, /* not ours */
};

/* What @name stands for; *number of a trigger or creating site, 0 if it has none that a plan could have. */
enum generated generated_kind(const char *name, uint32_t *number);

struct generated_symbol {
	struct image_symbol s;
	enum generated kind;
	uint32_t number;
	uint32_t calls; /* filled by calls_find() */
	uint32_t taken; /* places that take its address */
};

struct symbols {
	struct image_symbol *function; /* with code, ascending address */
	size_t n_functions;
	struct image_symbol *place; /* all that are defined somewhere, ascending address */
	size_t n_places;
	const struct image_symbol **by_name; /* the same n_places, by name */
	struct generated_symbol *generated;  /* defined ones, ascending address */
	size_t n_generated;
	size_t n_probes; /* symbols of the measurement build */
	const char *probe;
	const char *undefined; /* a generated name that nothing defines, or NULL */
	bool creates;          /* pthread_create is its own ... */
	bool wraps;            /* ... or called by way of the linker's --wrap */
	bool places;           /* the platform file is in it */
};

/* Read the symbol table; -1 if there is none (a stripped file). Release in every case. */
int symbols_read(struct symbols *out, const struct image *e, struct fault *f);

/* Free the contents. */
void symbols_release(struct symbols *s);

/* The function that holds @address, or NULL. */
const struct image_symbol *symbols_function_at(const struct symbols *s, uint64_t address);

/* First of the symbols at exactly @address in `place`; n_places if there is none. */
size_t symbols_at(const struct symbols *s, uint64_t address);

/* The same for the name, in `by_name`. */
size_t symbols_named(const struct symbols *s, const char *name);

/* Is it generated code or data, or the one function that the platform file takes over?  A name of the program's own
 * may begin with perseus_, too: local symbols tell their source, and global ones are of a few families. */
bool symbols_inside(const struct image_symbol *s);

/* The same without pthread_create. */
bool symbols_ours(const struct image_symbol *s);

/* True if @symbol is @name, or what a compiler makes of it: "fir.constprop.0", "fir@GLIBC_2.2.5". */
bool symbols_same(const char *symbol, const char *name);

/* True if one of the symbols at exactly @address is @name, as symbols_same() says. */
bool symbols_has(const struct symbols *s, uint64_t address, const char *name);

/* The generated symbol of @kind and @number; NULL. */
struct generated_symbol *symbols_generated(const struct symbols *s, enum generated kind, uint32_t number);

#endif
