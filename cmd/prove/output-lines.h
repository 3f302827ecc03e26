/* SPDX-License-Identifier: MIT */
/* What a command printed, line by line, for comparisons. */
#ifndef PERSEUS_CMD_PROVE_OUTPUT_LINES_H
#define PERSEUS_CMD_PROVE_OUTPUT_LINES_H

#include <stddef.h>

#include "lib/err.h"
#include "lib/strbuf.h"

struct output_lines {
	struct strbuf text;
	char **at; /* the lines that count, in order, without their newlines */
	size_t n;
};

enum output_match { OUTPUT_EQUAL, OUTPUT_REORDERED, OUTPUT_DIFFERS };

/*
 * Read file @path; lines that match one of the @n_ignore extended regular
 * expressions are left out.  Fails as fs_read(), or with -EINVAL: an expression
 * is malformed.
 */
int output_lines_read(struct output_lines *o, const char *path, const char *const *ignore, size_t n_ignore,
		      struct err *err);

/* OUTPUT_REORDERED: the same lines, as often, in another order. */
enum output_match output_lines_compare(const struct output_lines *a, const struct output_lines *b);

/*
 * Append where they part: the first lines that only one of them has, `- ` and
 * `+ ` before them; nothing if they are equal.
 */
void output_lines_show(const struct output_lines *a, const struct output_lines *b, struct strbuf *out);

/* Free the lines. */
void output_lines_release(struct output_lines *o);

#endif
