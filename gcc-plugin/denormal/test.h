/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests for denormals, in integer arithmetic. */
#ifndef PERSEUS_PLUGIN_DENORMAL_TEST_H
#define PERSEUS_PLUGIN_DENORMAL_TEST_H

#include "gcc-plugin/base/gcc-common.h"
#include "perseus/denormal.h"

#define DEN_LANES 64

/* How many numbers a value of @type is: 1, or the parts or elements; 0: not known, or too many. */
unsigned den_lanes(tree type);

/* Number @lane of @value. */
tree den_lane(gimple_seq *seq, tree value, unsigned lane);

/* Is @value a constant of which a part or element is denormal? */
bool den_constant(tree value);

/* The unsigned integer whose width suits tests of @type: 32 bits up to float, else 64. */
tree den_mask_type(tree type);

/*
 * All ones if lane @lane of @value is denormal, else 0, as a den_mask_type().
 * @vector: in the form that vector units have.
 */
tree den_test(gimple_seq *seq, tree value, unsigned lane, bool vector);

/* As den_test() of a number of at most 64 bits, but only the top bit of the result counts. */
tree den_sign(gimple_seq *seq, tree value, bool vector);

/*
 * @bits, which are a number of @type or its bits, to be looked at.  Where products of @type may be contracted GCC does
 * not know that they are the same: the vectoriser of blocks would take together what is looked at, and with that
 * the products.
 */
tree den_apart(gimple_seq *seq, tree bits, tree type);

/* Whether any of a number of values is denormal; zero-filled is none. */
struct den_any {
	tree least[PRS_DEN_DOUBLE + 1]; /* by type: the least of what test.c calls x - 1 */
	tree wide;
};
void den_any_add(struct den_any *any, gimple_seq *seq, tree value, unsigned lane);

/* That, as a boolean; NULL_TREE: of no value. */
tree den_any_end(struct den_any *any, gimple_seq *seq);

/* The mask @mask as one of @type. */
tree den_widen(gimple_seq *seq, tree mask, tree type);

#endif
