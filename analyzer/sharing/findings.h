/* SPDX-License-Identifier: MIT */
/* Pair records grouped by data object and field into findings. */
#ifndef PERSEUS_ANALYZER_SHARING_FINDINGS_H
#define PERSEUS_ANALYZER_SHARING_FINDINGS_H

#include "analyzer/pairs/pairs.h"
#include "analyzer/sharing/sharing.h"

/*
 * Append the findings of one process to @rep: records whose sides name the
 * same or connected fields become one.  Evidence ids, rates, prices and
 * order are set later, over all processes.
 */
void findings_add(struct sharing_report *rep, const struct pair_records *records, const struct objects *os);

/* Give evidence ids in the order of the keys; collisions step. */
void findings_number(struct sharing_report *rep);

/* Free one finding's contents. */
void finding_release(struct sharing_finding *f);

#endif
