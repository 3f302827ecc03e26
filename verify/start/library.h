/* SPDX-License-Identifier: MIT */
/* The libraries of a program: do they come between the generated code and the C library? */
#ifndef PERSEUS_VERIFY_START_LIBRARY_H
#define PERSEUS_VERIFY_START_LIBRARY_H

#include "verify/start/dynamic.h"
#include "verify/start/reach.h"

struct library {
	char *path;
	const char *name; /* by which programs ask for it */
	struct image image;
	struct needed needed;
};

struct libraries {
	struct library *l;
	size_t n, given; /* the first @given ones were named, the others are this machine's */
};

/* Read the @n libraries at @paths; -1 if one cannot be read.  Release in every case. */
int libraries_open(struct libraries *l, char *const *paths, int n, struct fault *f);

/* Read those of @needed that were not given from the folders of this machine, as far as they are there. */
void libraries_find(struct libraries *l, const struct needed *needed);

/* Free the contents. */
void libraries_release(struct libraries *l);

/*
 * Compare the given libraries with the names in @imports, which the generated
 * code calls: none of them may define one, and none may use a generated
 * function.  Those of the toolchain are believed; others that @needed names
 * and that are not given are named in @notes.
 */
void libraries_check(const struct libraries *l, const struct needed *needed, const struct names *imports,
		     struct findings *list, struct findings *notes);

/* Libraries that the program and the given ones ask for, none of the toolchain's, and that were not given. */
void libraries_unseen(const struct libraries *l, const struct needed *needed, struct names *out);

/* The version of @name that a linker binds, that of the first of @needed that has it: *version is NULL if it has none.
 * False: none of them was read, or has it. */
bool libraries_version(const struct libraries *l, const struct needed *needed, const char *name,
		       const char **version);

#endif
