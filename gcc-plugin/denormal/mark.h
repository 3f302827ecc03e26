/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks: statements that say which operation of the source a value is the result
 * of.  They are internal calls without result and without virtual operands, so
 * they stay where they are, keep the value, and touch no memory.
 */
#ifndef PERSEUS_PLUGIN_DENORMAL_MARK_H
#define PERSEUS_PLUGIN_DENORMAL_MARK_H

#include "gcc-plugin/denormal/den-site.h"

struct den_mark {
	gcall *stmt;
	struct den_site *site;
	tree value;                 /* NULL_TREE: none */
	tree address;               /* of loads and stores: a pointer to it, for the array; NULL_TREE: none */
	tree operand[DEN_OPERANDS]; /* NULL_TREE: a normal constant, or it does not matter */
};

/*
 * The option by which GCC may compute something else than is written, or NULL.  What -ffast-math
 * makes of a sum depends on how often its parts are used and on how loops are vectorised, and what the
 * x87 holds on whether a value is looked at, so there are no marks.
 */
const char *den_rewritten(void);

/* Is @stmt a mark, and of what? */
bool den_mark_read(gimple *stmt, struct den_mark *mark);

/* The marks of operations that @mark's leaves pass through: that of its operand @i, or *@found is false. */
bool den_mark_before(const struct den_mark *mark, unsigned i, struct den_mark *before);

/* Its statement takes the operands of @mark from now on, and the site @site. */
void den_mark_write(const struct den_mark *mark, const struct den_site *site);

/* A mark of @site, of @value without operands; @address: as in struct den_mark, or integer_zero_node. */
gcall *den_mark_make(const struct den_site *site, tree value, tree address);

/* A pointer into what @ref lies in, of those that the program has; integer_zero_node: it has none. */
tree den_mark_pointer(tree ref);

/*
 * The variable that @access, the load or store of @mark as it is late, lies in, as an address; NULL_TREE: that of none,
 * or another's.  It is addressable from then on: not before the passes that need to know that it is not.
 */
tree den_mark_variable(const struct den_mark *mark, gimple *access);

/* A value that @mark is about: its own (0), or operand @i - 1; NULL_TREE: it is not about that. */
tree den_mark_about(const struct den_mark *mark, unsigned i);

#endif
