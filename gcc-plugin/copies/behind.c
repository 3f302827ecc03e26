/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/copies/copy.h"
#include "gcc-plugin/denormal/kinds.h"

#define STEPS 16 /* from a pointer to what it was made from */

tree copy_float_only(tree type)
{
	tree all = NULL_TREE, one;
	unsigned kind;

	while (TREE_CODE(type) == ARRAY_TYPE || VECTOR_TYPE_P(type) || TREE_CODE(type) == COMPLEX_TYPE)
		type = TREE_TYPE(type);
	if (den_type(type, &kind))
		return TYPE_MAIN_VARIANT(type);
	if (TREE_CODE(type) != RECORD_TYPE)
		return NULL_TREE;
	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f)) {
		if (TREE_CODE(f) != FIELD_DECL)
			continue;
		one = copy_float_only(TREE_TYPE(f));
		if (!one || (all && one != all))
			return NULL_TREE;
		all = one;
	}
	return all;
}

/* What @pointer points to, of floating point: by its own type or that of a pointer it was made from. */
static tree pointed(tree pointer)
{
	for (int step = 0; step < STEPS && pointer && POINTER_TYPE_P(TREE_TYPE(pointer)); step++) {
		tree type = copy_float_only(TREE_TYPE(TREE_TYPE(pointer)));
		gimple *def;

		if (type)
			return type;
		if (TREE_CODE(pointer) == ADDR_EXPR) {
			tree base = get_base_address(TREE_OPERAND(pointer, 0));

			return base ? copy_float_only(TREE_TYPE(base)) : NULL_TREE;
		}
		if (TREE_CODE(pointer) != SSA_NAME)
			return NULL_TREE;
		def = SSA_NAME_DEF_STMT(pointer);
		if (!is_gimple_assign(def) ||
		    (gimple_assign_rhs_code(def) != POINTER_PLUS_EXPR && !gimple_assign_single_p(def) &&
		     !CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(def))) ||
		    gimple_assign_load_p(def))
			return NULL_TREE;
		pointer = gimple_assign_rhs1(def);
	}
	return NULL_TREE;
}

tree copy_float_behind(tree ref)
{
	tree type = NULL_TREE;

	if (POINTER_TYPE_P(TREE_TYPE(ref)))
		type = pointed(ref);
	else if (TREE_CODE(ref) == VIEW_CONVERT_EXPR)
		type = copy_float_only(TREE_TYPE(TREE_OPERAND(ref, 0)));
	else if (TREE_CODE(ref) == MEM_REF)
		type = pointed(TREE_OPERAND(ref, 0));
	else if (!INTEGRAL_TYPE_P(TREE_TYPE(ref)))
		type = copy_float_only(TREE_TYPE(ref));
	return type;
}
