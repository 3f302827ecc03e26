/* SPDX-License-Identifier: MIT */
/* Where flush-to-zero may be tried in a program that was built already: the begin of a function. */
#ifndef PERSEUS_CMD_DENORMALS_REGION_H
#define PERSEUS_CMD_DENORMALS_REGION_H

#include "lib/err.h"
#include "lib/strbuf.h"

/*
 * Append what PRS_ENV_FLUSH_REGIONS says of all functions called @function (assembler or
 * source name) of the program @path.  -ENOENT: it has none; -ENOTSUP: its first instructions cannot
 * be moved, and why.
 */
int region_find(const char *path, const char *function, struct strbuf *out, struct err *err);

/*
 * For tests: how many bytes at the begin of the @size bytes of a function may be moved, or 0
 * with @why, a sentence.  ":AT" for each distance in them is appended to @distances.
 */
unsigned region_movable(const unsigned char *code, size_t size, struct strbuf *distances, const char **why);

#endif
