/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements behind a call, which passes of several folders put there. */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/pass.h"

static tree declare(const char *name)
{
	tree type = build_function_type_list(void_type_node, NULL_TREE);
	tree decl = build_fn_decl(name, type);

	TREE_NOTHROW(decl) = 1;
	DECL_ARTIFICIAL(decl) = 1;
	return decl;
}

tree pass_declared(const char *name)
{
	symtab_node *node = symtab_node::get_for_asmname(get_identifier(name));

	return node && TREE_CODE(node->decl) == FUNCTION_DECL ? node->decl : declare(name);
}

bool pass_insert_after(gimple *call, gimple *stmt, gimple **after)
{
	gimple_stmt_iterator gsi;
	basic_block bb;
	edge e;

	gimple_set_location(stmt, gimple_location(call));
	if (*after != call || !stmt_ends_bb_p(call)) {
		gsi = gsi_for_stmt(*after);
		gsi_insert_after(&gsi, stmt, GSI_SAME_STMT);
		*after = stmt;
		return true;
	}
	e = find_fallthru_edge(gimple_bb(call)->succs);
	if (!e)
		return false;
	bb = e->dest;
	if (!single_pred_p(bb) || bb == EXIT_BLOCK_PTR_FOR_FN(cfun) || phi_nodes(bb) ||
	    starts_with_returns_twice(bb)) {
		bb = split_edge(e);
		free_dominance_info(CDI_DOMINATORS);
		free_dominance_info(CDI_POST_DOMINATORS);
	}
	gsi = gsi_after_labels(bb);
	gsi_insert_before(&gsi, stmt, GSI_SAME_STMT);
	*after = stmt;
	return true;
}
