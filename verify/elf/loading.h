/* SPDX-License-Identifier: MIT */
/* Is what the sections show what the system loads?  And what does the loader do to it? */
#ifndef PERSEUS_VERIFY_ELF_LOADING_H
#define PERSEUS_VERIFY_ELF_LOADING_H

#include "verify/elf/symbols.h"

/*
 * Segments against sections, page by page; differences are lines in @list,
 * what leaves a question open in @notes.
 */
void loading_check(const struct image *e, const struct symbols *s, struct findings *list,
		   struct findings *notes);

#endif
