/* SPDX-License-Identifier: MIT */
/* The table that the dynamic loader goes by: is it the sections', and what does it ask for? */
#ifndef PERSEUS_VERIFY_START_DYNAMIC_H
#define PERSEUS_VERIFY_START_DYNAMIC_H

#include "verify/elf/symbols.h"

struct needed {
	const char **name; /* of libraries, in their order; texts of the image */
	size_t n;
	bool now; /* all calls are bound before the program runs */
};

/*
 * Compare the table with the sections, and what the loader writes with
 * code and generated variables.  Differences are lines in @list, what leaves
 * a question open in @notes.  Release @out in every case.
 */
void dynamic_check(const struct image *e, const struct symbols *s, struct needed *out, struct findings *list,
		   struct findings *notes);

/* Free the contents. */
void dynamic_release(struct needed *n);

/* Is @name exported, and not hidden by its version?  The hash table is looked at by dynamic_check(). */
bool dynamic_finds(const struct image *e, const char *name);

#endif
