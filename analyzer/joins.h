/* SPDX-License-Identifier: MIT */
/* Which meetings of two objects are too rare to make one finding of both. */
#ifndef PERSEUS_ANALYZER_JOINS_H
#define PERSEUS_ANALYZER_JOINS_H

#include <stdbool.h>

#include "analyzer/objects.h"
#include "analyzer/pairs.h"

/*
 * For each record: true if it is of two objects that meet with less than a
 * hundredth of the transfers that one of them has.  Such an object stands beside
 * the disputed one and does not belong to the finding.  The caller frees the array.
 */
bool *joins_weak(const struct pair_records *records, const struct objects *os);

#endif
