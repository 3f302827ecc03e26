/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the processor notes by itself: an operand of arithmetic that is denormal. */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/gate/gate.h"

#define DEPTH 12 /* operations from a value to where it is needed */

static bool noted_is_mark(gimple *stmt)
{
	struct den_mark m;

	return den_mark_read(stmt, &m);
}

/*
 * Does another store of the loop write the same place?  The first one of the two is left out then, with
 * what computes its value, as soon as no mark looks at it.  Which one comes first, and whether both are
 * on one way, is not asked: the value of either is looked at by a test of its own, which costs more and
 * is always right.
 */
static bool stored_over(gimple *store)
{
	class loop *loop = gimple_bb(store)->loop_father;
	basic_block *body = get_loop_body(loop);
	bool over = false;

	for (unsigned i = 0; i < loop->num_nodes && !over; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi) && !over;
		     gsi_next(&gsi)) {
			gimple *stmt = gsi_stmt(gsi);

			over = stmt != store && gimple_store_p(stmt) &&
			       operand_equal_p(gimple_get_lhs(stmt), gimple_get_lhs(store), 0);
		}
	free(body);
	return over;
}

/* Is @name needed without the marks?  Else GCC leaves out what computes it. */
static bool needed(tree name, int depth)
{
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, name)
	{
		gimple *stmt = USE_STMT(use);

		if (is_gimple_debug(stmt) || noted_is_mark(stmt))
			continue;
		if (is_gimple_assign(stmt) && gimple_store_p(stmt)) {
			if (!stored_over(stmt))
				return true;
			continue;
		}
		if (!is_gimple_assign(stmt) || TREE_CODE(gimple_assign_lhs(stmt)) != SSA_NAME)
			return true;
		if (depth < DEPTH && needed(gimple_assign_lhs(stmt), depth + 1))
			return true;
	}
	return false;
}

/* Does @stmt look at the value of its operands in every case?  A factor of 1 is none in the end. */
static bool computes(gimple *stmt)
{
	tree lhs, type;

	if (!is_gimple_assign(stmt))
		return false;
	lhs = gimple_assign_lhs(stmt);
	type = TREE_TYPE(gimple_assign_rhs1(stmt));
	if (TREE_CODE(lhs) != SSA_NAME || !SCALAR_FLOAT_TYPE_P(TREE_TYPE(lhs)) || !SCALAR_FLOAT_TYPE_P(type))
		return false;
	switch (gimple_assign_rhs_code(stmt)) {
	case PLUS_EXPR:
	case MINUS_EXPR:
		return true;
	case MULT_EXPR:
	case RDIV_EXPR:
		return !real_onep(gimple_assign_rhs2(stmt)) && !real_minus_onep(gimple_assign_rhs2(stmt));
	CASE_CONVERT:
		return TYPE_MODE(TREE_TYPE(lhs)) != TYPE_MODE(type);
	default:
		return false;
	}
}

bool gate_noted(class loop *loop, tree value, basic_block bb)
{
	imm_use_iterator it;
	use_operand_p use;

	if (SSA_NAME_IS_DEFAULT_DEF(value) ||
	    !flow_bb_inside_loop_p(loop, gimple_bb(SSA_NAME_DEF_STMT(value))))
		return false;
	FOR_EACH_IMM_USE_FAST(use, it, value)
	{
		gimple *stmt = USE_STMT(use);

		if (gimple_bb(stmt) == bb && computes(stmt) && needed(gimple_assign_lhs(stmt), 0))
			return true;
	}
	return false;
}

bool gate_result(tree value)
{
	return !SSA_NAME_IS_DEFAULT_DEF(value) && computes(SSA_NAME_DEF_STMT(value));
}

gimple *gate_store(tree value, basic_block bb)
{
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	{
		gimple *stmt = USE_STMT(use);

		if (gimple_bb(stmt) == bb && is_gimple_assign(stmt) && gimple_store_p(stmt) &&
		    gimple_assign_rhs1(stmt) == value && !stored_over(stmt))
			return stmt;
	}
	return NULL;
}
