/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A loop that changes what it reads, so that it cannot simply run again: what it is about to store over is kept,
 * and put back before it does.
 */
#ifndef PERSEUS_PLUGIN_GATE_UNDO_H
#define PERSEUS_PLUGIN_GATE_UNDO_H

#include "gcc-plugin/base/gcc-common.h"

#define UNDO_PARTS 4

/* Turn i of the loop stores all bytes from begin + i * step on, as many as the step is long, and none between. */
struct undo_part {
	tree begin;
	HOST_WIDE_INT step;
	tree at, bytes, copy; /* of a round: what is kept, and where */
};

struct gate_undo {
	unsigned n; /* parts; 0: nothing has to be kept */
	struct undo_part part[UNDO_PARTS];
	unsigned each; /* bytes that a turn stores */
	tree *buffer;  /* the function's, once there is one */
};

/* One more part; false: there are too many. */
bool undo_add(struct gate_undo *u, tree begin, HOST_WIDE_INT step);

/* Of how many turns is there room for what they store? */
unsigned undo_turns(const struct gate_undo *u);

/*
 * At the end of @bb: what @turns turns behind the first @done, NULL_TREE: 0, store over is kept, or that of as many
 * as there is room for; if @go, all ones or 0 of 32 bits, is 0, nothing.
 */
void undo_keep(struct gate_undo *u, basic_block bb, tree turns, tree done, tree go);

/* At the end of @bb: it is put back. */
void undo_back(const struct gate_undo *u, basic_block bb);

#endif
