/* SPDX-License-Identifier: MIT */
/* The dynamic symbols and their versions: are they those of the symbol table? */
#ifndef PERSEUS_VERIFY_VERSIONS_H
#define PERSEUS_VERIFY_VERSIONS_H

#include "verify/dynamic.h"

/* Hold the loader's symbols against the program's, and their versions against the needed libraries; differences are
 * lines in @list. */
void versions_check(const struct image *e, const struct symbols *s, const struct needed *needed,
		    struct findings *list);

#endif
