/* SPDX-License-Identifier: MIT */
/* What the generated code calls: functions of libraries, or ones that the program puts in their place? */
#ifndef PERSEUS_VERIFY_REACH_H
#define PERSEUS_VERIFY_REACH_H

#include "verify/symbols.h"

/* Names, each once; texts of the image. */
struct names {
	const char **name;
	size_t n;
};

/*
 * Go through the generated functions; what they call outside is in a library,
 * named in @imports, or a difference in @list.  In a static program nobody
 * knows whose it is: that is named in @notes.  Release @imports in every case.
 */
void reach_check(const struct image *e, const struct symbols *s, struct names *imports, struct findings *list,
		 struct findings *notes);

/* Add @name if it is not there yet. */
void names_add(struct names *n, const char *name);

bool names_have(const struct names *n, const char *name);

/* Free the contents. */
void names_release(struct names *n);

#endif
