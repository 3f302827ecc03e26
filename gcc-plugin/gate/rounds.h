/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop that is run in rounds, so that only those with denormals count. */
#ifndef PERSEUS_PLUGIN_GATE_ROUNDS_H
#define PERSEUS_PLUGIN_GATE_ROUNDS_H

#include "gcc-plugin/base/gcc-common.h"

struct gate_rounds {
	bool used;
	unsigned most,
		longest; /* turns of a round while nothing is denormal, and of one that counts, at most; ~0: all */
	vec<tree> first, state,
		next;        /* of each value that goes from turn to turn: at the begin, and variables */
	vec<gimple *> begin; /* where a round takes it */
	tree all, turns;     /* turns of the loop, and of the round */
	gimple *length;      /* where a round takes its turns */
	tree left, slow, span,
		then; /* variables; span: turns of a round that counts; then: of the next one */
};

/* Can @loop, whose versions are vectorised if @vector, be run in rounds? */
bool rounds_suit(class loop *loop, bool vector);

/* The fewest turns for which there is a round. */
unsigned rounds_least(void);

/* Before @loop has versions: it begins with what @head takes, and ends after so many turns. */
void rounds_split(struct gate_rounds *r, class loop *loop, basic_block entry, basic_block head);

/* Then, for @loop, the version that counts: the variables' values in @entry, and what a round takes of them.  @go: variable; @slow: is something denormal at once? */
void rounds_begin(struct gate_rounds *r, class loop *loop, basic_block entry, tree go, tree slow,
		  bool always);

/* @version's values behind a round, in @exit. */
void rounds_behind(struct gate_rounds *r, class loop *version, basic_block exit, bool counted);

/* At the end of @head, behind which a round begins: how many of all turns are done. */
tree rounds_done(const struct gate_rounds *r, basic_block head);

/* The round is over: @seq goes on to the next; *@more: are there any? */
void rounds_over(struct gate_rounds *r, gimple_seq *seq, tree *more);

#endif
