/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often a block of a loop runs, and under which conditions. */
#ifndef PERSEUS_PLUGIN_TRIPS_H
#define PERSEUS_PLUGIN_TRIPS_H

#include "gcc-plugin/base/gcc-common.h"

/*
 * @expr in terms of names defined outside @loop, if its value is the same in
 * each iteration; else NULL_TREE.  NULL_TREE stays NULL_TREE.
 */
tree trips_invariant(class loop *loop, tree expr);

/*
 * Does each iteration of @loop that comes to its end run @bb?  True also if
 * that hangs on conditions that do not change in @loop: they are appended to
 * @conds (boolean trees valid in front of @loop).  Returns the block that each
 * iteration runs and that leads to @bb under those conditions, NULL: no.
 */
basic_block trips_reach(basic_block bb, class loop *loop, vec<tree> *conds);

/*
 * Executions of @bb, a block as trips_reach() returns it, for one entry of
 * @loop, as sizetype in terms of names defined outside; NULL_TREE: not known.
 * *@none is set if it may be 0.
 */
tree trips_count(basic_block bb, class loop *loop, bool *none);

/* Does one entry of @loop run @bb, as from trips_reach(), once at least? */
bool trips_any(basic_block bb, class loop *loop);

#endif
