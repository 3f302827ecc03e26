/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is counted of a marked operation, as masks, and the statements that add to the thread's table. */
#ifndef PERSEUS_PLUGIN_DENORMAL_COUNT_H
#define PERSEUS_PLUGIN_DENORMAL_COUNT_H

#include "gcc-plugin/denormal/mark.h"

/* By a pointer and a lane. */
typedef hash_map<int_hash<uint64_t, 0, 1>, tree> den_known;

struct den_count {
	/* Statements that compute masks go here. */
	gimple_seq seq;
	/* The test of @lane of @value; it may go elsewhere if it is known where @seq will stand. */
	tree (*test)(struct den_count *c, tree value, unsigned lane);
	/* Add @mask, all ones or 0, to the counter of @site; once for each lane. */
	void (*add)(struct den_count *c, struct den_site *site, unsigned role, unsigned operand, tree mask);
	/* By mark and lane: whether a leaf of the operation, or a value between, is denormal. */
	den_known *leaves;
	den_known *tests;            /* those made, by value and lane */
	const struct den_mark *mark; /* the one that is counted */
	/* For the two functions. */
	void *more;
	struct den_flow *flow; /* of mode origin, or NULL */
	struct den_call *call; /* masks are its sets, and nothing goes to @seq; or NULL */
};

/* The test of values that were computed before c->seq, kept there. */
tree den_test_here(struct den_count *c, tree value, unsigned lane);

/* @a or @b; NULL_TREE is never. */
tree den_either(struct den_count *c, tree a, tree b);

/* Whether @lane of @mark's result was born; NULL_TREE: never. */
tree den_born(struct den_count *c, const struct den_mark *mark, unsigned lane);

/* Hand what is counted of @mark to c->add. */
void den_count(struct den_count *c, const struct den_mark *mark);

/* Append to @seq: the thread's table, to be handed to the next. */
tree den_table(gimple_seq *seq);

/* table[@slot] += @count, an unsigned 64-bit number. */
void den_table_add(gimple_seq *seq, tree table, unsigned slot, tree count);

/* @count denormals of the load or store @mark lie in the array at @address; nothing if that is not known. */
void den_table_array(gimple_seq *seq, const struct den_mark *mark, tree address, tree count);

/* A block that is seldom run, if @value, computed at the end of @bb, is not zero. */
basic_block den_seldom(basic_block bb, tree value);

#endif
