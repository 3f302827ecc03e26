/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an access touches in all iterations of the loops round it. */
#ifndef PERSEUS_PLUGIN_EVOLVE_H
#define PERSEUS_PLUGIN_EVOLVE_H

#include "gcc-plugin/base/gcc-common.h"

#define CONDS_MAX 8

/*
 * The bytes that an access touches while `loop` runs once: from
 * base + offset + constant + low on, for reach + bytes; if there are rows, that
 * often, each row_step behind the one before.  All trees are in terms of names
 * defined outside `loop`; all but base and row_step are of sizetype.
 */
struct span {
	class loop *loop;       /* NULL: none yet */
	basic_block at;         /* stands for the access in the next outer loop */
	tree base;              /* pointer */
	tree offset;            /* of the first iteration's place */
	HOST_WIDE_INT constant; /* the same, constant part */
	HOST_WIDE_INT bytes;    /* of one access */
	HOST_WIDE_INT need;     /* bytes that each iteration must touch to leave no gap */
	tree low, reach;
	tree count;          /* executions, in each row; NULL_TREE: one or more, not known */
	tree rows, row_step; /* NULL_TREE: one; ssizetype */
	bool none;           /* the count may be 0 */
	unsigned n_conds;    /* boolean trees: all must hold, else it does not run at all */
	tree conds[CONDS_MAX];
};

/*
 * Fill @s for the access @ref of @bytes in @bb; its loop is NULL.  False: no
 * address that can be followed.
 */
bool span_start(struct span *s, tree ref, unsigned bytes, basic_block bb);

/*
 * Extend @s over the next outer loop of where it stands.  NULL if done, else
 * why not (a literal), with @s as it was.
 */
const char *span_climb(struct span *s);

/* *@delta = distance in bytes of @b's first place from @a's, if constant. */
bool span_distance(const struct span *a, const struct span *b, HOST_WIDE_INT *delta);

/*
 * Do the rows of @b begin *@rows (not 0) rows of @a further on, and *@delta bytes
 * behind that?  Both are alike.
 */
bool span_rows_apart(const struct span *a, const struct span *b, int *rows, HOST_WIDE_INT *delta);

/* Do both run equally often, over equally many bytes and rows, in front of one loop? */
bool span_alike(const struct span *a, const struct span *b);

/* Are two operands, which may be NULL_TREE, the same? */
bool same_value(tree a, tree b);

#endif
