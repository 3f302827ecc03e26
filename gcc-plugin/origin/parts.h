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
	struct den_flow *flow;
	class loop *
		loop; /* what was computed in front of it is a leaf: it has no sums of its births; NULL: there is none */
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

/* Is @stmt in an innermost loop without marks, as one that runs while there are no denormals?  It stays as it is. */
bool den_flow_in_clean(struct den_flow *f, gimple *stmt);

/* May what @load reads have changed till @at, a store? */
bool den_flow_overwritten(gimple *load, gimple *at);

/* The one store of @m's place in the source, which GCC has moved to a later block; NULL: none, or it has several. */
gimple *den_flow_moved(const struct den_mark *m);

/* Where @store puts all of @value. */
tree den_flow_stored_to(gimple *store, tree value);

/* The address of what @ref is, of @lane of its elements; NULL_TREE: it has none. */
tree den_flow_address(gimple_seq *seq, tree ref, unsigned lane);

/* @value, an integer or pointer, as 64 bits. */
tree den_flow_word(gimple_seq *seq, tree value);

/* Append a call of prs_den_flow(@what, @args...); *@result, if wanted: what it returns. */
void den_flow_call(gimple_seq *seq, unsigned what, const tree *args, tree *result);

/* What is told of a leaf: 1 if it is denormal, else 0; and where it was loaded from, or a tag, or both. */
struct den_leaf {
	tree is, address, tag;
};

/* Appended to @seq, behind a loop: the leaf @value of the expression at @v, which is the same in all turns. */
void den_flow_same(struct den_flow *f, gimple_seq *seq, const struct den_visit *v, tree value,
		   struct den_leaf *leaf);

/* Where @value is denormal: appended to @block, what it depends on, as known at @at; it returns the tag.  @m as in tags.c. */
tree den_flow_kept(struct den_flow *f, gimple_seq *block, tree value, const struct den_mark *m, gimple *at);

/* The tag of @value, a constant or a variable; of one that is new, what sets it is kept in @f. */
tree den_flow_tag(struct den_flow *f, tree value);

/* Behind @at, what is in @block is done where @value is denormal; @var: the tag that it has then, or NULL_TREE. */
void den_flow_do_behind(struct den_flow *f, gimple *at, tree value, gimple_seq block, tree var);

/* A statement that says of @value which @tag it has, for later passes.  Is there one? */
gcall *den_flow_note(tree value, tree tag);
bool den_flow_is_said(tree value);

/* Behind each of those @var has it; false: there is none. */
bool den_flow_take_said(tree value, tree var);

#endif
