/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Behind a probed call its leave probe runs, so that it cannot be a tail call:
 * the frame stays, and what the caller's caller waits for comes by two returns.
 * In programs of many short functions that costs more than the probes, also
 * while nobody watches.  So such calls exist twice:
 *
 * before                          after
 *     enter probe                     enter probe
 *     r = f (x)                       if (its token)
 *     leave probe                         r_1 = f (x), leave probe
 *     return r                        else
 *                                         r_2 = f (x) [tail call]
 *                                     return r = PHI <r_1, r_2>
 *
 * Calls that are counted and not timed have no token: they are tail calls, too.
 * The token that is kept over the call is a copy: a register that calls preserve
 * would have to be saved on both ways.
 *
 * The expander drops what follows the tail call.  Should it find that it cannot
 * make one after all, the copy is an ordinary call, and as right.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/passes/tail.h"

/* @call's result, and the memory behind it, come from either call. */
static void join(gcall *call, gcall *copy, edge probed, edge plain)
{
	tree lhs = gimple_call_lhs(call), vdef = gimple_vdef(call);
	location_t loc = gimple_location(call);
	gphi *phi;

	if (lhs && TREE_CODE(lhs) == SSA_NAME) {
		gimple_call_set_lhs(call, copy_ssa_name(lhs, call));
		gimple_call_set_lhs(copy, copy_ssa_name(lhs, copy));
		phi = create_phi_node(lhs, probed->dest);
		add_phi_arg(phi, gimple_call_lhs(call), probed, loc);
		add_phi_arg(phi, gimple_call_lhs(copy), plain, loc);
	}
	if (vdef && TREE_CODE(vdef) == SSA_NAME) {
		gimple_set_vdef(call, make_ssa_name(gimple_vop(cfun), call));
		gimple_set_vdef(copy, make_ssa_name(gimple_vop(cfun), copy));
		phi = create_phi_node(vdef, probed->dest);
		add_phi_arg(phi, gimple_vdef(call), probed, UNKNOWN_LOCATION);
		add_phi_arg(phi, gimple_vdef(copy), plain, UNKNOWN_LOCATION);
	}
}

/* An empty block between @from, which now ends in a choice, and @to. */
static basic_block other_way(basic_block from, edge first, basic_block to)
{
	basic_block bb = create_empty_bb(from);
	edge e = make_edge(from, bb, EDGE_FALSE_VALUE);

	if (current_loops)
		add_bb_to_loop(bb, from->loop_father);
	first->flags = (first->flags & ~EDGE_FALLTHRU) | EDGE_TRUE_VALUE;
	first->probability = profile_probability::unlikely();
	e->probability = first->probability.invert();
	bb->count = e->count();
	first->dest->count = first->count();
	make_single_succ_edge(bb, to, EDGE_FALLTHRU);
	return bb;
}

/* Behind @enter, the last statement of its block: is the call timed? */
static void choose(gimple *enter, location_t loc)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(enter);
	tree token = asm_token(enter);
	gcond *cond =
		gimple_build_cond(NE_EXPR, token, build_zero_cst(TREE_TYPE(token)), NULL_TREE, NULL_TREE);

	gimple_set_location(cond, loc);
	gsi_insert_after(&gsi, cond, GSI_NEW_STMT);
}

void tail_split(gcall *call, gimple *enter, gimple *leave)
{
	basic_block bb = gimple_bb(call), plain;
	gimple_stmt_iterator gsi;
	gcall *copy;
	edge into, behind;

	if (!optimize_bb_for_speed_p(bb) || gimple_bb(enter) != bb || gimple_bb(leave) != bb)
		return;
	into = split_block(bb, enter);
	behind = split_block(into->dest, leave);
	choose(enter, gimple_location(call));
	plain = other_way(bb, into, behind->dest);
	copy = as_a<gcall *>(gimple_copy(call));
	join(call, copy, behind, single_succ_edge(plain));
	gimple_call_set_tail(copy, true);
	gsi = gsi_after_labels(gimple_bb(call));
	gsi_insert_before(&gsi, asm_keep(leave), GSI_SAME_STMT);
	gsi = gsi_last_bb(plain);
	gsi_insert_after(&gsi, copy, GSI_NEW_STMT);
	update_stmt(call);
	free_dominance_info(CDI_DOMINATORS);
	free_dominance_info(CDI_POST_DOMINATORS);
}
