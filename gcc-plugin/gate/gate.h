/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two versions of a loop: one that counts, and one that only notices that there is something to count. */
#ifndef PERSEUS_PLUGIN_GATE_H
#define PERSEUS_PLUGIN_GATE_H

#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/denormal/mark.h"
#include "gcc-plugin/gate/undo.h"

/* In front of the pass that makes sums of marks. */
gimple_opt_pass *make_pass_den_gate(gcc::context *ctxt);

/*
 * May @loop run twice with the same effects?  If what it stores to is apart from what it loads: the statements of
 * that condition are appended to @seq, and *@apart is it as all ones or 0 of 32 bits; NULL_TREE: always.  Or if what
 * it stored is put back before: that is added to @undo, which has no parts yet.
 */
bool gate_runs_twice(class loop *loop, gimple_seq *seq, tree *apart, struct gate_undo *undo);

/*
 * Does the processor note it (DE of MXCSR) if @value is denormal whenever block @bb of @loop, where its
 * mark is, is run?
 */
bool gate_noted(class loop *loop, tree value, basic_block bb);

/* Is @value the result of arithmetic, which is no signalling NaN? */
bool gate_result(tree value);

/* A store of @value in block @bb; NULL: there is none. */
gimple *gate_store(tree value, basic_block bb);

/* Statements in the making: behind those of @bb; "@to = @value"; the value of @from under a name of its own. */
void gate_append(basic_block bb, gimple_seq seq);
void gate_assign(gimple_seq *seq, tree to, tree value);
tree gate_read(gimple_seq *seq, tree from);

#endif
