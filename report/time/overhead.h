/* SPDX-License-Identifier: MIT */
/*
 * What a recording costs: CPU time of the recorded program and of its recorder
 * beyond what the plain program takes, as a share of that.  It is reckoned from
 * what was done and what each of these things costs; since that depends on what
 * the program finds gone from its caches, it is an interval.
 */
#ifndef REPORT_OVERHEAD_H
#define REPORT_OVERHEAD_H

#include "report/time/types.h"

#include "lib/json.h"

/* Fill s->cost; the threads and calls of @s are there. */
void overhead_collect(struct report_summary *s);

/* A run that may have cost a tenth or more is not called good. */
bool overhead_high(const struct report_summary *s);

/*
 * How many times as long as in the plain program the threads may have run, at most: the upper end of the
 * cost, without what it took to start.  1: not longer, or not known.
 */
double overhead_longer(const struct report_summary *s);

/*
 * "overhead 4.1 % (2.5 to 8 %), 41.0 ms of it to start", or "overhead: 3.1 times the plain CPU time
 * (...)"; of an interval that is too wide for a figure only its ends.
 */
void overhead_text(const struct report_summary *s, struct strbuf *out);

/*
 * The object "overhead": shares; in a sharing run the upper end is what memory probes cost at most.
 * The estimate is null where only the interval is known.
 */
void overhead_json(const struct report_summary *s, struct json *j);

#endif
