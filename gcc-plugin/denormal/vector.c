/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the vectoriser is likely to take, asked before it runs: such loops get sums that it can take along. */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/denormal/mark.h"
#include "gcc-plugin/denormal/vector.h"

/* At -O2 only loops of which nothing is left over. */
static bool turns_suit(class loop *loop)
{
	tree n = number_of_latch_executions(loop);

	if (!n || n == chrec_dont_know || chrec_contains_undetermined(n))
		return false;
	if (loop->force_vectorize || flag_vect_cost_model != VECT_COST_MODEL_VERY_CHEAP)
		return true;
	return tree_fits_uhwi_p(n) && (tree_to_uhwi(n) + 1) % 4 == 0;
}

/* A value of floating point that goes from turn to turn must be computed in order. */
static bool carried(class loop *loop)
{
	for (gphi_iterator gsi = gsi_start_phis(loop->header); !gsi_end_p(gsi); gsi_next(&gsi))
		if (FLOAT_TYPE_P(TREE_TYPE(gimple_phi_result(gsi.phi()))) && !flag_associative_math)
			return true;
	return false;
}

static bool regular(class loop *loop, gimple *stmt)
{
	tree ref, base;
	affine_iv iv;
	struct den_mark m;

	if (is_gimple_debug(stmt) || den_mark_read(stmt, &m))
		return true;
	if (gimple_has_volatile_ops(stmt) || gimple_code(stmt) == GIMPLE_ASM ||
	    gimple_code(stmt) == GIMPLE_SWITCH)
		return false;
	if (is_gimple_call(stmt))
		return gimple_call_internal_p(stmt) || gimple_vuse(stmt) == NULL_TREE;
	if (!gimple_vuse(stmt) || !is_gimple_assign(stmt))
		return true;
	ref = gimple_store_p(stmt) ? gimple_assign_lhs(stmt) : gimple_assign_rhs1(stmt);
	base = get_base_address(ref);
	if (!base || TREE_CODE(base) != MEM_REF || TREE_CODE(TREE_OPERAND(base, 0)) != SSA_NAME)
		return true;
	return simple_iv(loop, loop, TREE_OPERAND(base, 0), &iv, true);
}

bool den_vectorisable(class loop *loop)
{
	basic_block *body;
	bool good = flag_tree_loop_vectorize && optimize_loop_for_speed_p(loop) && single_exit(loop) &&
		    turns_suit(loop) && !carried(loop);

	if (!good)
		return false;
	body = get_loop_body(loop);
	for (unsigned i = 0; i < loop->num_nodes; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); good && !gsi_end_p(gsi);
		     gsi_next(&gsi))
			good = regular(loop, gsi_stmt(gsi));
	free(body);
	return good;
}
