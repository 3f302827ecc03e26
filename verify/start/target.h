/* SPDX-License-Identifier: MIT */
/* Where calls of an executable lead: functions of its own, and those of libraries by PLT and GOT. */
#ifndef PERSEUS_VERIFY_START_TARGET_H
#define PERSEUS_VERIFY_START_TARGET_H

#include "verify/arch/insn.h"
#include "verify/elf/symbols.h"

struct target {
	bool known;         /* else by a pointer that is set at run time */
	uint64_t address;   /* of the code, 0 if it is in a library */
	const char *import; /* its name there, or NULL */
};

/* Where call or jump @insn of @e leads. */
struct target target_of(const struct image *e, const struct symbols *s, const struct insn *insn);

/* Where the pointer at @slot leads when the program runs. */
struct target target_in_slot(const struct image *e, uint64_t slot);

/* True if @t has the name @name, or a clone's of it, or the linker's --wrap of it, or posix's function for it. */
bool target_named(const struct symbols *s, const struct target *t, const char *name);

/* A name of it for messages. */
const char *target_name(const struct symbols *s, const struct target *t);

/* True if some symbol of the executable, defined or not, is @name or made of it. */
bool target_exists(const struct image *e, const char *name);

/* Which platform file is linked in. */
enum backend {
	BACKEND_NONE, /* no platform file at all */
	BACKEND_LINUX,
	BACKEND_POSIX,
	BACKEND_STUB,
};

/* That of the executable, by what only its code needs. */
enum backend target_backend(const struct symbols *s);

#endif
