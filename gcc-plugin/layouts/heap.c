/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects that a pointer leads to: aligned as malloc() does it, whatever the type says.
 *
 * A planned field raises the alignment of its type, and of all types that hold it.  Where such an
 * object is a variable, it has that alignment.  Who calls malloc(), or operator new below C++17,
 * gets 16 bytes: an aligned move of 32 or 64 bytes, which the type allows, would be a fault there.
 * So accesses through pointers are of a variant of the type that is aligned to 16 bytes.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/layouts/layouts.h"

#define DEPTH 32 /* types within types */

/* Is a planned field in @type, or in what lies in it? */
static bool holds_planned(tree type, int depth)
{
	unsigned bits;

	while (TREE_CODE(type) == ARRAY_TYPE)
		type = TREE_TYPE(type);
	if (!RECORD_OR_UNION_TYPE_P(type) || depth > DEPTH)
		return false;
	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f))
		if (TREE_CODE(f) == FIELD_DECL &&
		    (layouts_raised(f, &bits) || layouts_line(f) || holds_planned(TREE_TYPE(f), depth + 1)))
			return true;
	return false;
}

/* walk_tree(): @data is the walk_stmt_info of one operand. */
static tree lower(tree *at, int *, void *)
{
	tree type;

	if (TREE_CODE(*at) != MEM_REF)
		return NULL_TREE;
	type = TREE_TYPE(*at);
	if (TYPE_ALIGN(type) > MALLOC_ABI_ALIGNMENT && TREE_CODE(TREE_OPERAND(*at, 0)) != ADDR_EXPR &&
	    holds_planned(TYPE_MAIN_VARIANT(type), 0))
		TREE_TYPE(*at) = build_aligned_type(type, MALLOC_ABI_ALIGNMENT);
	return NULL_TREE;
}

static void lower_in(gimple *stmt)
{
	for (unsigned i = 0; i < gimple_num_ops(stmt); i++)
		walk_tree(gimple_op_ptr(stmt, i), lower, NULL, NULL);
}

void layouts_heap(void)
{
	struct cgraph_node *node;
	basic_block bb;

	FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
	{
		struct function *fn = DECL_STRUCT_FUNCTION(node->decl);

		if (!fn || !fn->cfg)
			continue;
		FOR_EACH_BB_FN(bb, fn)
		{
			for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
				lower_in(gsi_stmt(gsi));
		}
	}
}
