/* SPDX-License-Identifier: MIT */
/* What runs before main() and behind it, and the code of the linker: is it the toolchain's? */
#ifndef PERSEUS_VERIFY_START_STARTUP_H
#define PERSEUS_VERIFY_START_STARTUP_H

#include "verify/elf/symbols.h"

/*
 * Compare the start-up code with what the toolchain is known to write, and
 * the arrays of functions with the named functions.  @now: calls are bound
 * before the program runs.  Differences are lines in @list; code that is
 * none of the known ones is named in @notes.
 */
void startup_check(const struct image *e, const struct symbols *s, bool now, struct findings *list,
		   struct findings *notes);

/* Bytes of @f, if it is a function of the start-up code and known byte by byte; else 0. */
uint64_t startup_size(const struct image *e, const struct symbols *s, const struct image_symbol *f);

/* Is @name that of a function of the toolchain's start-up code? */
bool startup_has(const char *name);

#endif
