/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In the Itanium ABI the number stands right in front of the array:
 *
 *     _41 = operator new [] (72);
 *     MEM[(sizetype *)_41] = 4;
 *     _45 = _41 + 8;
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/data/cookie.h"

#define COPIES_MAX 8u

/* All names of @ptr itself, into @names. */
static void collect_copies(tree ptr, vec<tree> *names)
{
	names->safe_push(ptr);
	for (unsigned i = 0; i < names->length() && names->length() < COPIES_MAX; i++) {
		imm_use_iterator iter;
		use_operand_p use;

		FOR_EACH_IMM_USE_FAST(use, iter, (*names)[i])
		{
			gimple *stmt = USE_STMT(use);

			if (gimple_assign_ssa_name_copy_p(stmt) ||
			    (gimple_assign_cast_p(stmt) && TREE_CODE(gimple_assign_lhs(stmt)) == SSA_NAME))
				names->safe_push(gimple_assign_lhs(stmt));
		}
	}
}

/* The result of @name + @bytes, of any use; NULL_TREE: none. */
static tree moved_on(tree name, unsigned HOST_WIDE_INT bytes)
{
	imm_use_iterator iter;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, iter, name)
	{
		gimple *stmt = USE_STMT(use);

		if (is_gimple_assign(stmt) && gimple_assign_rhs_code(stmt) == POINTER_PLUS_EXPR &&
		    gimple_assign_rhs1(stmt) == name && tree_fits_uhwi_p(gimple_assign_rhs2(stmt)) &&
		    tree_to_uhwi(gimple_assign_rhs2(stmt)) == bytes)
			return gimple_assign_lhs(stmt);
	}
	return NULL_TREE;
}

/* Is a number as large as a pointer stored right at @name? */
static bool takes_number(tree name)
{
	imm_use_iterator iter;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, iter, name)
	{
		gimple *stmt = USE_STMT(use);
		tree to =
			is_gimple_assign(stmt) && gimple_store_p(stmt) ? gimple_assign_lhs(stmt) : NULL_TREE;

		if (to && TREE_CODE(to) == MEM_REF && TREE_OPERAND(to, 0) == name &&
		    integer_zerop(TREE_OPERAND(to, 1)) &&
		    TYPE_MAIN_VARIANT(TREE_TYPE(to)) == TYPE_MAIN_VARIANT(sizetype))
			return true;
	}
	return false;
}

static tree array_behind(const vec<tree> *names, unsigned HOST_WIDE_INT bytes)
{
	for (unsigned i = 0; i < names->length(); i++)
		if (tree to = moved_on((*names)[i], bytes))
			return to;
	return NULL_TREE;
}

unsigned array_cookie(gimple *stmt, tree *array)
{
	auto_vec<tree, COPIES_MAX> names;
	tree lhs = gimple_call_lhs(stmt);
	unsigned word = UNITS_PER_WORD;

	if (!lhs || TREE_CODE(lhs) != SSA_NAME || strncmp(callee_name(as_a<gcall *>(stmt)), "_Zna", 4))
		return 0;
	collect_copies(lhs, &names);
	for (unsigned cookie = word; cookie <= 64; cookie *= 2) {
		tree count = cookie > word ? array_behind(&names, cookie - word) : NULL_TREE;
		bool counts = count && takes_number(count);

		for (unsigned i = 0; cookie == word && !counts && i < names.length(); i++)
			counts = takes_number(names[i]);
		*array = counts ? array_behind(&names, cookie) : NULL_TREE;
		if (*array)
			return cookie;
	}
	return 0;
}
