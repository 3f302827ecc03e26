/* SPDX-License-Identifier: MIT */
/* The dynamic symbols and their versions: are they those of the symbol table? */
#ifndef PERSEUS_VERIFY_START_VERSIONS_H
#define PERSEUS_VERIFY_START_VERSIONS_H

#include "verify/start/library.h"

/* Compare the loader's symbols with the program's, and their versions with the needed libraries; differences are
 * lines in @list. */
void versions_check(const struct image *e, const struct symbols *s, const struct needed *needed,
		    struct findings *list);

/* Versions that the symbol table does not say (gold, lld and mold write none) against the defaults of the libraries:
 * given ones, else this machine's, which are added to @l.  What differs is a line in @notes. */
void versions_check_bound(const struct image *e, const struct symbols *s, const struct needed *needed,
			  struct libraries *l, struct findings *notes);

/* The versions of the functions @imports that the generated code calls: of the C library, and with today's arguments. */
void versions_check_used(const struct image *e, const struct needed *needed, const struct names *imports,
			 struct findings *list, struct findings *notes);

#endif
