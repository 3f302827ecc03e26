/* SPDX-License-Identifier: MIT */
/*
 * What the rest of the program may do with the generated code: nothing but the
 * planned calls and reading its counters.
 */
#ifndef PERSEUS_VERIFY_START_OUTSIDE_H
#define PERSEUS_VERIFY_START_OUTSIDE_H

#include "verify/elf/symbols.h"

/*
 * Calls from outside of functions perseus_* that are no trigger points,
 * pointers to any of them, and stores into their variables are lines in
 * @list; addresses of their variables that are taken, lines in @notes.
 */
void outside_check(const struct image *e, const struct symbols *s, struct findings *list,
		   struct findings *notes);

#endif
