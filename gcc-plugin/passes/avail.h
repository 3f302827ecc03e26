/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which probes have certainly run when control comes to a place. */
#ifndef PERSEUS_PLUGIN_AVAIL_H
#define PERSEUS_PLUGIN_AVAIL_H

#include "gcc-plugin/data/access.h"

/*
 * An access that is seen, by a probe before @stmt or by that of another access
 * that it always runs with.
 */
struct planned {
	struct mem_access acc;
	gimple *stmt;
	gimple *source;   /* the site is told by this one (the write of a pair) */
	bool burst;       /* enabled in bursts only */
	unsigned spot;    /* + 1; 0: its place cannot be compared with others */
	unsigned head;    /* + 1: the access whose probe sees this one; 0: it has its own */
	unsigned next;    /* + 1: the next access of the same probe; 0: none */
	unsigned last;    /* of a head: + 1, the last of its chain; 0: it is alone */
	unsigned n;       /* of a head: accesses in its chain, 0 for itself alone */
	HOST_WIDE_INT at; /* where it begins, to be compared with others of its probe */
};

/* A place: at + base + index * step + index2. */
struct spot {
	tree base, index, index2;
	HOST_WIDE_INT step, at;
	unsigned bytes;
	unsigned align;         /* of base, in bytes, as far as known */
	HOST_WIDE_INT misalign; /* bytes of base above that alignment */
	unsigned previous;      /* spot of an equal hash, + 1; 0: none */
	unsigned access;        /* the last one planned here, + 1; 0: none */
};

/* The state of one function; blocks are to be visited in reverse post order. */
struct avail {
	vec<spot> spots;                                     /* all places seen */
	vec<planned> list;                                   /* the probes to be */
	hash_map<int_hash<unsigned, 0, 1>, unsigned> *first; /* hash of a base -> its spot seen last, + 1 */
	vec<bitmap> out;                                     /* by block: what is available at its end */
	bitmap now;
	vec<bitmap> open_out; /* by block: which probes of the list others may join at its end */
	bitmap open;
	bitmap_obstack memory;
	basic_block bb;
	unsigned since; /* first probe of the list that a later write may join */
};

void avail_begin(struct avail *v, function *fun);
void avail_end(struct avail *v);

/* At the begin and end of a block. */
void avail_enter(struct avail *v, basic_block bb);
void avail_leave(struct avail *v, basic_block bb);

/* Another thread may have had every line in between. */
void avail_forget(struct avail *v);

/* Control may not come on from here: what follows does not always run with what was before. */
void avail_part(struct avail *v);

/*
 * Statement @stmt makes access @a: add it to the list, with a probe of its own or
 * as a part of another one, unless one that has run does for it.
 */
void avail_access(struct avail *v, const struct mem_access *a, gimple *stmt, bool burst);

#endif
