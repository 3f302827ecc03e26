/* SPDX-License-Identifier: MIT */
/*
 * Tables of integers, small enough to travel in a page: the differences of
 * neighbours in a column, zigzag coded, in planes of bytes, all of it gzip and
 * base64.  Sorted time stamps take about two bytes each.
 */
#ifndef PERSEUS_LIB_HTML_COLUMNS_H
#define PERSEUS_LIB_HTML_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"

/* Exact in a browser, whose numbers are doubles: values beyond are cut to it. */
#define COLUMNS_MAX (INT64_C(1) << 53)

struct column {
	const char *name; /* [a-z_]+, and behind it what its values may resemble */
	int64_t *values;
	size_t cap;
};

struct columns {
	struct column *at;
	size_t n;
	size_t rows;
};

/*
 * An empty table with the columns of @names, which end with NULL and outlive it.  A name
 * "byte/thread" or "pair/thread+rival" says that a value resembles that of the last row with
 * the same thread (and rival), which stand left of it: the difference is to that row then.
 * "rival/line=thread": it resembles the thread of the last row with the same line.  Several
 * such words may follow each other; the shortest form is taken.
 */
void columns_init(struct columns *c, const char *const *names);
void columns_release(struct columns *c);

/* There will be @rows: nothing has to be moved while they are added. */
void columns_expect(struct columns *c, size_t rows);

/* Append a row, of a value for each column. */
void columns_add(struct columns *c, const int64_t *values);

/*
 * Append the table to @out as an element <script type="text/plain" id="@id"
 * data-rows="N" data-columns="name:PLANES:BITS[:LIKE] ...">: PLANES of bytes, 1, 2, 4 or 8
 * (0: a constant, and LIKE is its value), the BITS, 8, 16, 32 or 64, that its values need, and of what each is the difference: the row before
 * (no LIKE), the last row with the same slot of the columns that LIKE names, there behind '=' the
 * column whose value it is, or nothing (LIKE is a dot: the value itself, where that is shorter).
 */
void columns_write(const struct columns *c, const char *id, struct strbuf *out);

#endif
