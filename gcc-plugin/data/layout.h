/* SPDX-License-Identifier: GPL-3.0-or-later */
/* T lines: where the fields of a named aggregate lie. */
#ifndef PERSEUS_PLUGIN_LAYOUT_H
#define PERSEUS_PLUGIN_LAYOUT_H

#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/text.h"

/* Start a function: nothing noted for it yet. */
void layout_begin(void);

/*
 * The current function mentions @type by @name.  Not an aggregate: ignored.  With the
 * block of std::make_shared() goes the object in it.
 */
void layout_note(tree type, const char *name);

/*
 * Under LTO, write the function's layouts as lines "T<tab>..." to @out: any
 * other function of the unit may be gone when they are needed.
 */
void layout_end(struct text *out);

/* Take over one such line, without its T and tab, from streamed facts. */
void layout_learn(const char *line);

/* The rest of the T line of the aggregate called @name; NULL if not known. */
const char *layout_get(const char *name);

/* Of the name of such a block, where that of the object in it begins; NULL: it is none. */
const char *layout_held(const char *name);

/* Name of any type for an A line: aggregates as in access.h, others as written. */
void layout_type_name(tree type, char *out, size_t size);

/*
 * Append the dimensions of an array type to the text in @name (@size bytes with the
 * NUL): "m" becomes "m[4][8]".  The type of its elements, or @type if it is no array.
 */
tree layout_dimensions(tree type, char *name, size_t size);

#endif
