/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values that leave a loop: the loop's marks are gone when the rest is seen to, so a statement behind the loop
 * says of each which variable has its tag.  Later passes read it there, and the last one takes it away.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/origin/parts.h"

gcall *den_flow_note(tree value, tree tag)
{
	gcall *call = gimple_build_call_internal(IFN_LAUNDER, 2, value, tag);

	gimple_call_set_nothrow(call, true);
	return call;
}

/* Is @stmt what says of @value, that a loop has left, which tag it has? */
static bool says_tag(gimple *stmt, tree value)
{
	return gimple_call_internal_p(stmt, IFN_LAUNDER) && gimple_call_num_args(stmt) == 2 &&
	       (!value || gimple_call_arg(stmt, 0) == value);
}

bool den_flow_is_said(tree value)
{
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	if (says_tag(USE_STMT(use), value))
		return true;
	return false;
}

bool den_flow_take_said(tree value, tree var)
{
	auto_vec<gimple *, 4> said;
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	if (says_tag(USE_STMT(use), value))
		said.safe_push(USE_STMT(use));
	for (unsigned i = 0; i < said.length(); i++) {
		gimple_stmt_iterator gsi = gsi_for_stmt(said[i]);

		gsi_insert_after(&gsi, gimple_build_assign(var, gimple_call_arg(said[i], 1)), GSI_NEW_STMT);
	}
	return said.length();
}

/* Is @value, of @loop, used behind it by anything that computes? */
static bool leaves_loop(class loop *loop, tree value)
{
	imm_use_iterator it;
	use_operand_p use;
	unsigned type;

	if (TREE_CODE(value) != SSA_NAME || !den_type(TREE_TYPE(value), &type) ||
	    den_lanes(TREE_TYPE(value)) != 1)
		return false;
	FOR_EACH_IMM_USE_FAST(use, it, value)
	if (!is_gimple_debug(USE_STMT(use)) && !flow_bb_inside_loop_p(loop, gimple_bb(USE_STMT(use))))
		return true;
	return false;
}

void den_flow_leaving(class loop *loop, vec<tree> *values)
{
	basic_block *body = get_loop_body(loop);

	for (unsigned i = 0; i < loop->num_nodes; i++) {
		for (gphi_iterator gsi = gsi_start_phis(body[i]); !gsi_end_p(gsi); gsi_next(&gsi))
			if (leaves_loop(loop, gimple_phi_result(gsi.phi())))
				values->safe_push(gimple_phi_result(gsi.phi()));
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi); gsi_next(&gsi)) {
			tree value = gimple_get_lhs(gsi_stmt(gsi));

			if (value && leaves_loop(loop, value))
				values->safe_push(value);
		}
	}
	free(body);
}

void den_flow_say(struct den_flow *f, edge exit, const vec<tree> *values)
{
	basic_block bb = single_pred_p(exit->dest) ? exit->dest : split_edge(exit);

	for (unsigned i = 0; i < values->length(); i++) {
		gimple_stmt_iterator gsi = gsi_after_labels(bb);

		if (!dominated_by_p(CDI_DOMINATORS, bb, gimple_bb(SSA_NAME_DEF_STMT((*values)[i]))))
			continue;
		gsi_insert_before(&gsi, den_flow_note((*values)[i], den_flow_tag(f, (*values)[i])),
				  GSI_SAME_STMT);
	}
}

void den_flow_said(function *fun)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi);)
		if (says_tag(gsi_stmt(gsi), NULL_TREE))
			gsi_remove(&gsi, true);
		else
			gsi_next(&gsi);
}
