/* SPDX-License-Identifier: MIT */
/* The sources that a patch changes, what may be written in them, and what they allocate. */
#ifndef PERSEUS_ANALYZER_PATCH_SOURCES_SOURCES_H
#define PERSEUS_ANALYZER_PATCH_SOURCES_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/remedy.h"
#include "analyzer/sharing/sharing.h"
#include "lib/source/edits.h"
#include "lib/source/source.h"
#include "lib/source/tree.h"
#include "lib/strbuf.h"
#include "record/run.h"

struct patch_file {
	char *name; /* below the root */
	struct source src;
	struct edits edits;
};

/*
 * What a declaration may be written in: C from C11 on, C++ from C++11 on, or
 * what GCC takes in every standard of both, for headers and older ones.
 */
enum dialect { DIALECT_C, DIALECT_CXX, DIALECT_ANY };

/* A source of the tree; one that does not hold the word in question is read, but not cut up. */
struct patch_text {
	struct strbuf text;
	bool read;
	struct patch_file *file; /* NULL: not opened yet */
};

struct patch {
	const struct run *run;
	struct tree tree;          /* the sources; listed when first asked for */
	struct patch_text *texts;  /* of the listed ones, NULL: none was asked for */
	struct patch_file **files; /* opened so far */
	size_t n_files;
	bool c, cxx;         /* what the run's units are written in */
	bool old_c, old_cxx; /* ... some of them in a standard before 2011, or none that is known */
	bool bases;          /* the last struct that was changed had members of base classes moved */
};

/* Begin with the sources below @root; fails if there is no such directory. */
int patch_start(struct patch *p, const struct run *run, const char *root, struct err *err);
void patch_release(struct patch *p);

/*
 * The source that the site tables call @path: below the root as named, else with leading
 * directories left out, else by its last name if only one is called so.
 * NULL: not found, or not below the root.
 */
struct patch_file *patch_open(struct patch *p, const char *path);

/* Of the sources opened so far one that was written after the recording; NULL: none. */
const char *patch_changed_since(const struct patch *p);

/* Source number @i of those that tree_list() found, NULL: it cannot be read or @word is nowhere in it. */
struct patch_file *patch_open_tree(struct patch *p, size_t i, const char *word);

/* What may be written in @f. */
enum dialect patch_dialect(const struct patch *p, const struct patch_file *f);

/* True if @f is read as C++, by some unit at least. */
bool patch_cxx(const struct patch *p, const struct patch_file *f);

/* "_Alignas(64)" and its kin. */
const char *patch_align(enum dialect d);

/* A static assertion of @condition; @name: what a word made for it may hold.  Owned by the caller. */
char *patch_assertion(enum dialect d, const char *condition, const char *name);

/* A source that none of the program's units was made from; a header may be in any. */
bool patch_no_unit(struct patch *p, const struct patch_file *f);

/* "job" of "struct pool<int>::job<long>"; owned by the caller. */
char *patch_last_name(const char *type);

/*
 * Look whether the memory of the type of @o grows with it, and if sources
 * allocate it by what keeps no alignment, note that in @o.  -ENOTSUP: where it would
 * not grow.
 */
int patch_check_memory(struct patch *p, struct sharing_object *o, struct err *err);

/* -ENOTSUP: a static assertion of the sources says what size the type of @o has, which would change. */
int patch_check_asserted(struct patch *p, const struct sharing_object *o, struct err *err);

/* What allocates @o follows the size of the elements, of @type (may be NULL), of its member without a bound. */
int patch_check_open(struct patch *p, const struct sharing_object *o, const char *member, const char *type,
		     struct err *err);

#endif
