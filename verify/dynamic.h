/* SPDX-License-Identifier: MIT */
/* The table that the dynamic loader goes by: is it the sections', and what does it ask for? */
#ifndef PERSEUS_VERIFY_DYNAMIC_H
#define PERSEUS_VERIFY_DYNAMIC_H

#include "verify/symbols.h"

struct needed {
	const char **name; /* of libraries, in their order; texts of the image */
	size_t n;
	bool now; /* all calls are bound before the program runs */
};

/*
 * Hold the table against the sections, and what the loader writes against
 * code and generated variables.  Differences are lines in @list, what leaves
 * a question open in @notes.  Release @out in every case.
 */
void dynamic_check(const struct image *e, const struct symbols *s, struct needed *out, struct findings *list,
		   struct findings *notes);

/* Free the contents. */
void dynamic_release(struct needed *n);

/* A symbol that others find by its name in the executable: the hash table has it, and its version does not hide it. */
bool dynamic_finds(const struct image *e, const char *name);

#endif
