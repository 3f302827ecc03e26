/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is copied: the tags go along. */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/origin/parts.h"

/* What @stmt copies, as addresses and a number of bytes. */
static bool copy_of(gimple *stmt, tree *to, tree *from, tree *bytes)
{
	if (gimple_call_builtin_p(stmt, BUILT_IN_MEMCPY) || gimple_call_builtin_p(stmt, BUILT_IN_MEMMOVE) ||
	    gimple_call_builtin_p(stmt, BUILT_IN_MEMPCPY)) {
		*to = gimple_call_arg(stmt, 0);
		*from = gimple_call_arg(stmt, 1);
		*bytes = gimple_call_arg(stmt, 2);
		return !stmt_ends_bb_p(stmt);
	}
	if (!is_gimple_assign(stmt) || !gimple_assign_single_p(stmt) || gimple_clobber_p(stmt) ||
	    is_gimple_reg_type(TREE_TYPE(gimple_assign_lhs(stmt))) || gimple_has_volatile_ops(stmt))
		return false;
	*to = gimple_assign_lhs(stmt);
	*from = gimple_assign_rhs1(stmt);
	*bytes = TYPE_SIZE_UNIT(TREE_TYPE(*to));
	if (TREE_CODE(*from) == CONSTRUCTOR || TREE_CODE(*from) == STRING_CST || !*bytes ||
	    !tree_fits_uhwi_p(*bytes) || stmt_ends_bb_p(stmt))
		return false;
	return true;
}

/* Is the copy told already, by one of the next statements? */
static bool told_behind(gimple_stmt_iterator gsi)
{
	gsi_next(&gsi);
	for (unsigned i = 0; i < 8 && !gsi_end_p(gsi); i++, gsi_next(&gsi)) {
		gimple *stmt = gsi_stmt(gsi);

		if (asm_den_is_flow(stmt) &&
		    tree_to_uhwi(gimple_call_arg(stmt, 0)) == (unsigned HOST_WIDE_INT)PRS_DEN_FLOW_COPY)
			return true;
	}
	return false;
}

bool den_flow_copies(function *fun)
{
	tree to, from, bytes;
	bool any = false;
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gimple_seq seq = NULL;

		if (!copy_of(gsi_stmt(gsi), &to, &from, &bytes) || told_behind(gsi))
			continue;
		if (!POINTER_TYPE_P(TREE_TYPE(to))) {
			to = den_flow_address(&seq, to, 0);
			from = den_flow_address(&seq, from, 0);
		}
		if (!to || !from)
			continue;
		from = gimple_convert(&seq, pointer_sized_int_node, from);
		to = gimple_convert(&seq, pointer_sized_int_node, to);
		tree args[] = {NULL_TREE, to, NULL_TREE, den_flow_word(&seq, bytes),
			       den_flow_word(&seq, from)};
		den_flow_call(&seq, PRS_DEN_FLOW_COPY, args, NULL);
		gsi_insert_seq_after(&gsi, seq, GSI_NEW_STMT);
		any = true;
	}
	return any;
}
