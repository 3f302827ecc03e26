/* SPDX-License-Identifier: MIT */
/*
 * Strings of the plan on their way into generated files.  A plan may come
 * from anywhere: nothing in it may end a comment, continue a line, start a
 * trigraph, or add a field.
 */
#ifndef PERSEUS_CODEGEN_VIEW_TEXT_H
#define PERSEUS_CODEGEN_VIEW_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

/*
 * Append @s (NULL: "-") so that it can stand in a C comment: printable ASCII,
 * other bytes as '.', no comment marks, no trigraph, no backslash.  Longer
 * than @max bytes: cut, with "...".
 */
void text_comment(struct strbuf *out, const char *s, size_t max);

/* Append @s as part of a macro name: upper case letters, digits, '_'; at most 32 characters, at least one. */
void text_macro(struct strbuf *out, const char *s);

/* Append @s as a CSV field, quoted, controls as '.', never a formula. */
void text_csv(struct strbuf *out, const char *s);

/* True if @s can stand between quotes in C as it is. */
bool text_is_plain(const char *s);

#endif
