/* SPDX-License-Identifier: MIT */
/* From when to when a thread came to the lines of a pair, by the place in the source it came from. */
#ifndef PERSEUS_ANALYZER_PAIRS_SPANS_H
#define PERSEUS_ANALYZER_PAIRS_SPANS_H

#include <stdint.h>

#include "record/run.h"

#define SPANS_MOST 6u

/* One memory site: what the parts of a program do at a line is seldom done from one place. */
struct use_span {
	uint32_t site;        /* process-wide number */
	uint64_t first, last; /* ticks */
	double moves;         /* how often it took the line from others */
	double seen;          /* accesses that were looked at: those, and in watch windows */
};

/* Of all sites; those that find no room widen the last one. */
struct use_spans {
	struct use_span at[SPANS_MOST];
	uint32_t n;
};

/* Add what line entry @l says; @scale: misses of the whole run for each that was recorded. */
void spans_add(struct use_spans *s, const struct prs_line *l, double scale);

/* Add those of other lines. */
void spans_join(struct use_spans *s, const struct use_spans *other);

#endif
