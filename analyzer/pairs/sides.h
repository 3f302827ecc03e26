/* SPDX-License-Identifier: MIT */
/* What the two threads of a pair fight with on one line: which fields, from which places. */
#ifndef PERSEUS_ANALYZER_PAIRS_SIDES_H
#define PERSEUS_ANALYZER_PAIRS_SIDES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/lines/lines.h"
#include "analyzer/objects/objects.h"
#include "analyzer/pairs/pairs.h"

/* The uses of one thread on one line. */
struct side {
	const struct line_use *at;
	size_t n;
	uint32_t thread;
	uint64_t read, written;  /* union of the masks */
	double accesses, unseen; /* all, and those of sites whose bytes are not known */
	double low, high;        /* of all: no fewer, no more */
	uint64_t needed;         /* of @read, what is surely needed */
	bool writes;
	uint64_t transfers; /* this thread's misses that moved the line, as recorded */
	double scaled;      /* ... in the whole run */
	uint64_t edges;     /* transfers over all pairs it is in */
};

/* Bytes that one of the sides writes and the other uses. */
uint64_t sides_common(const struct side *a, const struct side *b);

/* True for two uses that cannot meet in a byte, whichever elements they are of. */
bool sides_other_fields(const struct line_use *u, const struct line_use *v);

/*
 * Name both sides of @r, whose verdict is there, from their uses of the line.  The
 * parts are those that clash with a use of the other side: other bytes in false
 * sharing, the same ones in true sharing, and one of the two writes.  False if none
 * of the uses takes part.
 */
bool sides_fill(struct pair_record *r, const struct side *a, const struct side *b, struct objects *os);

/* @y is the same side on other lines: add its parts to those of @x. */
void sides_add_parts(struct pair_side *x, const struct pair_side *y);

#endif
