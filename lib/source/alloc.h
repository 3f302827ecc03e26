/* SPDX-License-Identifier: MIT */
/* Where a source allocates objects of a type, and whether the size follows the type. */
#ifndef PERSEUS_LIB_SOURCE_ALLOC_H
#define PERSEUS_LIB_SOURCE_ALLOC_H

#include "lib/source/source.h"

struct source_allocs {
	bool any;       /* malloc and its kin, or placement new, make objects of the type */
	size_t unsized; /* the call whose size does not follow the type: its token, or SOURCE_NONE */
};

/*
 * What calls of functions named like malloc ("xmalloc", "g_new") make of type
 * @type, the last part of its name: calls whose statement names the type or a
 * pointer to it.
 */
void source_allocs(const struct source *s, const char *type, struct source_allocs *out);

/* True if a statement that has tokens on @line takes a size from sizeof, or hands @type to a macro. */
bool source_sized(const struct source *s, uint32_t line, const char *type);

/* The same, and one of its statements has the word @name. */
bool source_sized_by(const struct source *s, uint32_t line, const char *name);

/* True if struct @t has a member of type @type by value. */
bool source_holds(const struct source *s, const struct source_struct *t, const char *type);

#endif
