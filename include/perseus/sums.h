/* SPDX-License-Identifier: MIT */
/*
 * PID.EPOCH.sums beside a record PID.EPOCH.prec: what `perseus record --trace`
 * has added up of calls that the threads have only traced.  It belongs to the
 * call records of that file as if the threads had put it there.
 *
 * The file consists of pages, each of one thread:
 *
 *   struct prs_sums_page
 *   struct prs_sum[PRS_SUMS_PER_PAGE], of which n_entries are used
 *
 * Pages that begin with zeros are handed out and not used.  Little-endian.
 */
#ifndef PERSEUS_SUMS_H
#define PERSEUS_SUMS_H

#include <stdint.h>

#include "perseus/record.h"

#define PRS_SUMS_MAGIC    "PRSSUMS1"
#define PRS_SUMS_PER_PAGE 7u

struct prs_sums_page {
	char magic[8];      /* without a NUL */
	uint32_t pid;       /* as in the record */
	uint32_t epoch;     /* ... */
	uint32_t thread;    /* index */
	uint32_t n_entries; /* at most PRS_SUMS_PER_PAGE */
	uint32_t crc;       /* CRC-32C of the page, these four bytes as zero; 0: it may still change */
	uint32_t spare[9];
};
_Static_assert(sizeof(struct prs_sums_page) == 64, "format");

/* To be added to the call record; those that timed no call do not count. */
struct prs_sum {
	uint32_t record; /* file offset / 64 */
	uint32_t site;   /* ... its site */
	uint64_t timed;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
	uint64_t pad[3];
	uint32_t hist[PRS_HIST_BUCKETS];
};
_Static_assert(sizeof(struct prs_sum) == 576, "format");
_Static_assert(sizeof(struct prs_sums_page) + PRS_SUMS_PER_PAGE * sizeof(struct prs_sum) == PRS_PAGE_BYTES,
	       "format");

#endif
