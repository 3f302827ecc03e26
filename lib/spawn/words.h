/* SPDX-License-Identifier: MIT */
/* Words of a command, and what it answers: "{name}" in, "NAME VALUE" out. */
#ifndef PERSEUS_LIB_SPAWN_WORDS_H
#define PERSEUS_LIB_SPAWN_WORDS_H

#include "lib/strbuf.h"

/* Append the value of the name of @len characters at @name to @out; false: it is none of the caller's names. */
typedef bool words_value(void *arg, const char *name, size_t len, struct strbuf *out);

/* Append @text with each "{name}" replaced by its value; other braces stay as they are. */
void words_fill(const char *text, words_value *value, void *arg, struct strbuf *out);

/* The next "{name}" in @text of which the name is one of C and no "$" stands in front; its length.  NULL: none. */
const char *words_name(const char *text, size_t *len);

/*
 * The last line "NAME VALUE", "NAME=VALUE" or "NAME: VALUE" of an output; NAN: there is none, or something stands
 * behind the value: "5x" and "5 ms" are no numbers.  It may be infinite.
 */
double words_figure(const char *text, const char *name);

#endif
