/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a statement does with floating-point values. */
#ifndef PERSEUS_PLUGIN_DENORMAL_KINDS_H
#define PERSEUS_PLUGIN_DENORMAL_KINDS_H

#include "gcc-plugin/base/gcc-common.h"
#include "perseus/denormal.h"

#define DEN_OPERANDS 3

struct den_op {
	unsigned kind, type; /* enum prs_den_kind, enum prs_den_type */
	tree value;          /* what is computed, loaded or stored; NULL_TREE: nothing of floating point */
	unsigned n;          /* operands */
	tree operand[DEN_OPERANDS];
	tree ref; /* of a load or store; else NULL_TREE */
	tree callee;
};

/* *@type: the enum prs_den_type of @of, or of its parts or elements; false: none whose denormals are counted. */
bool den_type(tree of, unsigned *type);

/* What @stmt does; false: nothing that counts. */
bool den_operation(gimple *stmt, struct den_op *op);

/* Is @stmt a call of a function of libm that writes errno, and nothing else? */
bool den_writes_errno(gimple *stmt);

/* Can control leave @stmt other than to the next one? */
bool den_may_leave(gimple *stmt);

/* The value that @value is but for its sign and parentheses. */
tree den_strip(tree value);

/* Does @value, a name, go anywhere but into operations that compute? */
bool den_leaves(tree value);

#endif
