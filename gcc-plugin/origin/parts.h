/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two ways of telling, in a block and behind a loop, have in common: flow.h. */
#ifndef PERSEUS_PLUGIN_ORIGIN_PARTS_H
#define PERSEUS_PLUGIN_ORIGIN_PARTS_H

#include "gcc-plugin/origin/flow.h"

#define PARTS 64 /* of an expression */

/* Where the parts of an expression are handed to. */
struct den_visit {
	bool (*operation)(struct den_visit *v, const struct den_mark *mark, unsigned lane);
	bool (*leaf)(struct den_visit *v, tree value, const struct den_mark *mark, unsigned lane);
	gimple *at;           /* all of it is known here */
	gimple *store;        /* what it is stored by; NULL: it stays in a register */
	hash_set<tree> *seen; /* operations; leaves count as often as they are used */
	unsigned left;        /* so many parts are looked at yet */
	void *more;
	bool strict; /* what is stored and loaded again is a leaf, whatever GCC knows of it */
};

/* What @value is computed of, operation by operation and leaf by leaf; false: one of them refused. */
bool den_flow_visit(struct den_visit *v, tree value, unsigned lane);

/* Does @value come from memory by a plain load? */
bool den_flow_is_load(tree value);

/*
 * The mark of the operation that @value is the result of, as known at @at, NULL:
 * anywhere.  What was stored and loaded again may have the marks of all three.
 */
bool den_flow_mark_of(tree value, gimple *at, struct den_mark *mark);

/* May what @load reads have changed till @at, a store? */
bool den_flow_overwritten(gimple *load, gimple *at);

/* The statement that stores what @mark is about, or the first of two; NULL: none. */
gimple *den_flow_store_of(const struct den_mark *mark);

/* Append a call of prs_den_flow(@what, @args...); *@result, if wanted: what it returns. */
void den_flow_call(gimple_seq *seq, unsigned what, const tree *args, tree *result);

/* What is told of a leaf: 1 if it is denormal, else 0; and where it was loaded from, or a tag, or both. */
struct den_leaf {
	tree is, address, tag;
};

/* Appended to @seq, behind a loop: the leaf @value of the expression at @v, which is the same in all turns. */
void den_flow_same(struct den_flow *f, gimple_seq *seq, const struct den_visit *v, tree value,
		   struct den_leaf *leaf);

#endif
