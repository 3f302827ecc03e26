/* SPDX-License-Identifier: MIT */
/* Which meetings of two objects are too rare to make one finding of both. */
#ifndef PERSEUS_ANALYZER_PAIRS_JOINS_H
#define PERSEUS_ANALYZER_PAIRS_JOINS_H

#include <stdbool.h>

#include "analyzer/objects/objects.h"
#include "analyzer/pairs/pairs.h"

/*
 * For each record: true if it is of two objects that meet with less than a
 * hundredth of the transfers that one of them has.  Such an object stands beside
 * the disputed one and does not belong to the finding.  The caller frees the array.
 */
bool *joins_weak(const struct pair_records *records, const struct objects *os);

/* A record of false sharing on a line, by what it is of. */
struct join_line {
	uint64_t line;
	uint32_t low, high; /* objects */
	size_t record;
};

/*
 * The records of false sharing by line and objects; *@n of them.  Those of one line and
 * object are one finding, whoever met whom in this run.  The caller frees the array.
 */
struct join_line *joins_lines(const struct pair_records *records, size_t *n);

/* True if two neighbours in that array belong together. */
bool joins_same(const struct join_line *a, const struct join_line *b);

#endif
