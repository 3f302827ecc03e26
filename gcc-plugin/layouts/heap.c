/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects that a pointer leads to: aligned as without the plan, and no more than malloc() does it.
 *
 * A planned field raises the alignment of its type, and of all types that hold it.  Where such an
 * object is a variable, it has that alignment.  Who calls malloc(), or operator new below C++17,
 * gets 16 bytes, and who has a pool of its own what the type needed before: an aligned move of 32 or
 * 64 bytes, which the type allows, would be a fault there.  So accesses through pointers are of a
 * variant of the type with that alignment, and so is what a function returns in memory: its caller
 * may have it put straight to where a pointer leads.
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

/* What an object of @type counts as that may lie anywhere: itself, or the variant. */
static tree anywhere(tree type)
{
	unsigned bits;

	if (!holds_planned(TYPE_MAIN_VARIANT(type), 0))
		return type;
	bits = MIN(layouts_plain_align(type), (unsigned)MALLOC_ABI_ALIGNMENT);
	return TYPE_ALIGN(type) > bits ? build_aligned_type(type, bits) : type;
}

/* walk_tree(): one operand. */
static tree lower(tree *at, int *, void *)
{
	if (TREE_CODE(*at) == MEM_REF && TREE_CODE(TREE_OPERAND(*at, 0)) != ADDR_EXPR)
		TREE_TYPE(*at) = anywhere(TREE_TYPE(*at));
	return NULL_TREE;
}

/* Where a call leaves what it returns is its caller's choice. */
static void lower_result(tree fn)
{
	tree result = DECL_RESULT(fn), type;

	if (!result || DECL_BY_REFERENCE(result) || !AGGREGATE_TYPE_P(TREE_TYPE(result)) ||
	    !aggregate_value_p(result, fn))
		return;
	type = anywhere(TREE_TYPE(result));
	if (type == TREE_TYPE(result))
		return;
	TREE_TYPE(result) = type;
	SET_DECL_ALIGN(result, TYPE_ALIGN(type));
	DECL_USER_ALIGN(result) = 1;
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
		lower_result(node->decl);
		FOR_EACH_BB_FN(bb, fn)
		{
			for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
				lower_in(gsi_stmt(gsi));
		}
	}
}
