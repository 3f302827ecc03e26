/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which probes have certainly run when control comes to a place. */
#ifndef PERSEUS_PLUGIN_AVAIL_H
#define PERSEUS_PLUGIN_AVAIL_H

#include "gcc-plugin/access.h"

/* A probe that is going to stand before @stmt. */
struct planned {
	struct mem_access acc;
	gimple *stmt;
	gimple *source; /* the site is told by this one (the write of a pair) */
	bool burst;     /* awake in bursts only */
	unsigned spot;  /* + 1; 0: its place cannot be compared with others */
};

struct spot;

/* The state of one function; blocks are to be visited in reverse post order. */
struct avail {
	vec<spot> spots;                                     /* all places seen */
	vec<planned> list;                                   /* the probes to be */
	hash_map<int_hash<unsigned, 0, 1>, unsigned> *first; /* hash of a base -> its spot seen last, + 1 */
	vec<bitmap> out;                                     /* by block: what is available at its end */
	bitmap now;
	bitmap_obstack memory;
	unsigned since; /* first probe of the list that a later write may join */
	bool windows;   /* neighbours may stand for each other */
};

void avail_begin(struct avail *v, function *fun, bool windows);
void avail_end(struct avail *v);

/* At the begin and end of a block. */
void avail_enter(struct avail *v, basic_block bb);
void avail_leave(struct avail *v, basic_block bb);

/* Another thread may have had every line in between. */
void avail_forget(struct avail *v);

/* Statement @stmt makes access @a: add a probe to the list unless one that has run does for it. */
void avail_access(struct avail *v, const struct mem_access *a, gimple *stmt, bool burst);

#endif
