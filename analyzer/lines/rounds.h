/* SPDX-License-Identifier: MIT */
/* The program's own time from visit to visit of a line, by the work that the site table tells. */
#ifndef PERSEUS_ANALYZER_LINES_ROUNDS_H
#define PERSEUS_ANALYZER_LINES_ROUNDS_H

#include "analyzer/lines/lines.h"

/*
 * A turn of the loop that one thread uses a line in, ns.  least: its work takes so
 * long at the least; 0: nothing is known.  ns, if known: what it takes, no shorter than
 * low and, with its data at hand, no longer than high.
 */
struct round_time {
	double least, ns, low, high;
	double accesses; /* to the line in a turn */
	bool frame;      /* its values go through places of the frame, as without optimisation */
};

/* Of the @n uses that one thread makes of one line; all 0: the site table knows nothing. */
struct round_time rounds_of(const struct line_use *u, size_t n, const struct line_pace *pace);

#endif
