/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Range probes: one for all accesses of a loop to neighbouring places. */
#ifndef PERSEUS_PLUGIN_RANGE_H
#define PERSEUS_PLUGIN_RANGE_H

#include "gcc-plugin/data/access.h"
#include "gcc-plugin/ranges/evolve.h"

/* An access that a range covers, or a range that stands for several. */
struct ranged {
	struct mem_access acc;
	gimple *stmt; /* the site is told by this one */
	struct span span;
	HOST_WIDE_INT wide; /* bytes from the span's first place on, for one iteration */
	bool gaps;          /* between the bytes of one iteration */
	bool block;         /* few bytes and turns: a probe in front of the loop is enough */
	unsigned members;   /* accesses of the source that it stands for; 0: another one does for it */
	unsigned each;      /* accesses in an iteration; those to the same bytes are one */
	int keep;           /* 0: all rows; else that many from the first on, or (negative) up to the last */
};

/*
 * Does @r touch a line's worth of bytes at most, a number that is known, and for certain?  One place
 * again and again is none: each access counts, and the probe would be seen as one.
 */
bool range_is_block(const struct ranged *r);

/* Join what one range can stand for: @list[i].members tells. */
void range_join(vec<ranged> *list);

/* Insert the probes of @list in front of their loops. */
void range_emit(function *fun, vec<ranged> *list);

#endif
