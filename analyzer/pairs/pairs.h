/* SPDX-License-Identifier: MIT */
/* Verdicts on pairs of threads, line by line; input of the findings. */
#ifndef PERSEUS_ANALYZER_PAIRS_PAIRS_H
#define PERSEUS_ANALYZER_PAIRS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/lines/lines.h"
#include "analyzer/objects/objects.h"
#include "analyzer/pairs/spans.h"
#include "analyzer/pairs/verdict.h"
#include "yaml/model.h"

#define PAIR_PARTS 8u

/* One field, of one object, that a side of a conflict uses. */
struct side_part {
	uint32_t object, field;
	const struct run_mem_site *site; /* the heaviest there */
	const struct rec_call *round;    /* the call that its access was seen in first, NULL: not known */
	enum prs_kind kind;              /* strongest */
	double accesses;
	double weight;                /* of the conflicts in which it is what the side fights with */
	uint64_t offset;              /* of the field in its object or element, or SPOT_UNKNOWN */
	unsigned n_outer, n_index;    /* as in struct spot */
	uint64_t first[SPOT_INDICES]; /* element numbers, over all lines from */
	uint64_t last[SPOT_INDICES];  /* ... to */
};

/* One side: the fields that carry its share of the conflict, ascending by object and field. */
struct pair_side {
	uint32_t thread;
	struct side_part part[PAIR_PARTS];
	uint32_t n_parts;
	double site_accesses; /* of the heaviest */
	enum prs_kind kind;
	double accesses, low, high; /* no fewer and no more than, as in line_use */
	double named;  /* to all its fields, those of the parts' fields likewise: not dealt to pairs */
	double counts; /* as in sharing_side */
	double visits, active_ns; /* as in line_use, over all lines */
	double disputed_ns, disputed_least_ns;
	bool gap_waits, active_waits, frame;
	bool by_count;           /* as in line_use, of the heaviest */
	double wide, wide_short; /* of the heaviest */
	double dispute_ns;       /* of the heaviest */
	enum count_source how;   /* of the heaviest */
	bool bytes_seen;         /* in watch windows, of the heaviest */
	double pairs;            /* loads that a store to the same place belongs to */
	uint32_t extent;         /* bytes of the longest range that begins there; 0: none does */
	uint32_t offset;         /* of the heaviest field in the line */
	uint64_t element;        /* address of the struct that it lies in, of several the one; 0 unknown */
	bool off_line;           /* such a struct, of any line, is not known to begin a line */
};

/* The part that the side fights with most; NULL: it has none. */
const struct side_part *pair_side_main(const struct pair_side *s);

/* Two threads and all lines they share in the same way. */
struct pair_record {
	enum sharing_verdict verdict;
	struct pair_side a, b; /* a.thread < b.thread */
	uint64_t transfers;
	struct use_spans spans[2]; /* when a and b came to the lines */
	uint64_t line;             /* the lowest of them, address / 64 */
	uint32_t lines;
	uint32_t distance; /* smallest, in bytes, between the two fields; 0 unknown */
	uint64_t inside;   /* of the transfers, those between two places in one struct */
	uint64_t between;  /* ... and those between two structs of one object */
	double part;       /* false sharing beside true: of the transfers of both; else 1 */
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
