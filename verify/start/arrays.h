/* SPDX-License-Identifier: MIT */
/* Functions that run before main() and behind it: are they those of the objects? */
#ifndef PERSEUS_VERIFY_START_ARRAYS_H
#define PERSEUS_VERIFY_START_ARRAYS_H

#include "verify/elf/symbols.h"

/* One entry of .init_array, .fini_array or .preinit_array of an object. */
struct array_entry {
	uint32_t type; /* of the section */
	char *function;
	bool found; /* in the executable */
};

struct arrays {
	struct array_entry *entry;
	size_t n;
};

/* Take in the entries of object @e. */
void arrays_read(struct arrays *a, const struct image *e);

/* Entries of the executable that no object and no toolchain has are named in @notes; entries of objects that the
 * executable has not are lines in @list. */
void arrays_check(struct arrays *a, const struct image *e, const struct symbols *s, struct findings *list,
		  struct findings *notes);

/* Free the contents. */
void arrays_release(struct arrays *a);

#endif
