/* SPDX-License-Identifier: MIT */
/* Where lines go, and with which indentation and line end; for codegen/graft-edit*.c. */
#ifndef PERSEUS_CODEGEN_GRAFT_LINES_H
#define PERSEUS_CODEGEN_GRAFT_LINES_H

#include <stdbool.h>

#include "codegen/graft/tree.h"
#include "lib/strbuf.h"

/* True if nothing but white space stands before token @i on its line. */
bool lines_first(const struct source *s, size_t i);

/* True if nothing but white space and comments that end there stands behind token @i on its line. */
bool lines_last(const struct source *s, size_t i);

/* Offset of the line of token @i, and of the line behind it. */
size_t lines_start(const struct source *s, size_t i);
size_t lines_behind(const struct source *s, size_t i);

/* How lines end around offset @at: "\n" or "\r\n". */
const char *lines_end(const struct source *s, size_t at);

/* Append the white space in front of the line of token @i. */
void lines_indent(const struct source *s, size_t i, struct strbuf *out);

/* Offset behind token @i. */
size_t lines_after(const struct source *s, size_t i);

#endif
