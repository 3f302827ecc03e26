/* SPDX-License-Identifier: GPL-3.0-or-later */
/* T and P lines: where the fields of a named aggregate lie, and what they are aligned to. */
#ifndef PERSEUS_PLUGIN_LAYOUT_H
#define PERSEUS_PLUGIN_LAYOUT_H

#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/text.h"

/* Start a function: nothing noted for it yet. */
void layout_begin(void);

/*
 * The current function mentions @type by @name.  Not an aggregate: ignored.  With it go those
 * that it is made of, and with the block of std::make_shared() the object in it.
 */
void layout_note(tree type, const char *name);

/*
 * Under LTO, write the function's layouts as lines "T<tab>..." and "P<tab>..." to @out:
 * any other function of the unit may be gone when they are needed.
 */
void layout_end(struct text *out);

/* Take over one such line, without its T or P and tab, from streamed facts; a T line first. */
void layout_learn(const char *line);
void layout_learn_parts(const char *line);

/* True if the aggregate called @name, a field, was noted. */
bool layout_known(const char *name);

/* Append its T line, and its P line where the rules of the ABI say all of it. */
void layout_lines(struct text *out, const char *name);

/* Call @each with the aggregates that its P line has members or base classes of. */
void layout_parts(const char *name, void (*each)(const char *type));

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
