/* SPDX-License-Identifier: MIT */
/* Verdicts on pairs of threads, line by line; input of the findings. */
#ifndef PERSEUS_ANALYZER_PAIRS_H
#define PERSEUS_ANALYZER_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/lines.h"
#include "analyzer/objects.h"
#include "analyzer/sharing.h"

#define PAIR_FIELDS 4u

/* One side: the fields that carry its share of the conflict, ascending. */
struct pair_side {
	uint32_t thread;
	uint32_t object[PAIR_FIELDS], field[PAIR_FIELDS];
	uint32_t n_fields;
	uint32_t main_object, main_field; /* the heaviest */
	const struct run_mem_site *site;  /* the heaviest */
	double site_accesses;
	enum model_access kind;
	double accesses;
	double visits, active_ns; /* as in line_use, over all lines */
	bool gap_waits, active_waits;
	double wide;            /* of the heaviest */
	enum line_evidence how; /* of the heaviest */
	bool bytes_seen;        /* in watch windows, of the heaviest */
	double pairs;           /* loads that a store to the same place belongs to */
	uint32_t offset;        /* of the heaviest field in the line */
	uint64_t element;       /* address of the struct that it lies in, of several the one; 0 unknown */
	bool off_line;          /* such a struct, of any line, is not known to begin a line */
};

/* Two threads and all lines they share in the same way. */
struct pair_record {
	enum sharing_verdict verdict;
	struct pair_side a, b; /* a.thread < b.thread */
	uint64_t transfers;
	uint32_t lines;
	uint32_t distance; /* smallest, in bytes, between the two fields; 0 unknown */
	uint64_t inside;   /* of the transfers, those between two places in one struct */
	uint64_t between;  /* ... and those between two structs of one object */
	bool has_also;
	struct pair_side also[2]; /* false sharing beside true: the sides of that */
};

struct pair_records {
	struct pair_record *at;
	size_t n;
	size_t cap;
	uint64_t handovers;
};

/* Judge all lines; records that differ in their lines only are merged. */
void pairs_make(struct pair_records *out, const struct line_uses *uses, struct objects *os);
void pairs_release(struct pair_records *out);

#endif
