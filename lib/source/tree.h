/* SPDX-License-Identifier: MIT */
/* The sources below a directory, by name. */
#ifndef PERSEUS_LIB_SOURCE_TREE_H
#define PERSEUS_LIB_SOURCE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

struct tree {
	char *root;   /* real path */
	char **names; /* sources, relative to it, sorted within each directory; NULL: not listed yet */
	size_t n;
	bool cut;     /* there are more sources than are looked at */
	char *unread; /* a folder or source that could not be read, the first; NULL: none */
};

/* Begin with directory @root; -ENOENT, -ENOTDIR, ... name it.  Nothing is listed yet. */
int tree_open(struct tree *t, const char *root, struct err *err);

/*
 * List C and C++ sources and headers, at most 4096 and 16 directories deep; no
 * hidden file, nothing behind a symbolic link, and nothing that codegen wrote,
 * which is not of the program wherever it lies.  A second call does nothing.
 */
void tree_list(struct tree *t);

/* The real path of @name if that is a file below the root, else NULL; owned by the caller. */
char *tree_real(const struct tree *t, const char *name);

/* What a real path that tree_real() gave is called below the root; points into @real. */
const char *tree_name(const struct tree *t, const char *real);

/* Note that @name, below the root, could not be read; -EIO with its name if there is such a one. */
void tree_note_unread(struct tree *t, const char *name);
int tree_check_read(const struct tree *t, struct err *err);

void tree_release(struct tree *t);

#endif
