/* SPDX-License-Identifier: MIT */
/* How far the number of accesses of a use may be off. */
#ifndef PERSEUS_ANALYZER_LINES_BOUNDS_H
#define PERSEUS_ANALYZER_LINES_BOUNDS_H

#include "analyzer/lines/lines.h"
#include "analyzer/lines/there.h"

/* What its number follows from, of one thread at one line. */
struct bound_facts {
	struct there there;
	double gap;      /* mean of those in windows, ns; 0: none was seen */
	double shortest; /* time of an access, ns */
	bool staged;     /* from the same place in several stages; windows saw one more than another */
};

/*
 * Set u->low and u->high: u->low is never less than what was really seen, u->high never
 * more than there was time for.
 */
void bounds_set(struct line_use *u, const struct bound_facts *f, const struct line_pace *pace);

#endif
