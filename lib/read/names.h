/* SPDX-License-Identifier: MIT */
/* Numbers by name: a hash table.  The names stay the caller's. */
#ifndef PERSEUS_LIB_READ_NAMES_H
#define PERSEUS_LIB_READ_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define NAMES_NONE ((size_t)-1)

struct names {
	struct names_slot {
		const char *name; /* NULL: free */
		size_t value;
	} * slots;
	size_t n, cap; /* names; slots, a power of two, or 0 */
};

/* Enter @name, which has to live as long as @t; false: it is there already, and stays as it is. */
bool names_add(struct names *t, const char *name, size_t value);

/* The value of the name of @len characters at @name, NAMES_NONE: it is not there. */
size_t names_find_part(const struct names *t, const char *name, size_t len);

/* The same of a whole text. */
size_t names_find(const struct names *t, const char *name);

/* Free the table; a zeroed one may be released. */
void names_release(struct names *t);

#endif
