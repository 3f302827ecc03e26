/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An address that two instructions use is computed in front of both:
 *
 *     lea  (bins, x, 4), p            no-op of the probe of (bins, x, 4)
 *     no-op of the probe of (p)       incl (bins, x, 4)
 *     incl (p)
 *
 * The right side is what the program without probes does, and a register and an
 * instruction less.  So where the access is all that an address is computed for,
 * the probe says it as the machine adds it up, in front of the addition: behind it
 * the two would be found to be equal.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/data/operand.h"

#define USES_MAX 2 /* of an address: a read and a write */

/* The statement that makes @name, if it is an assignment of @code in @bb. */
static gassign *made_by(tree name, enum tree_code code, basic_block bb)
{
	gassign *def = TREE_CODE(name) == SSA_NAME ? dyn_cast<gassign *>(SSA_NAME_DEF_STMT(name)) : NULL;

	return def && gimple_bb(def) == bb && gimple_assign_rhs_code(def) == code ? def : NULL;
}

/* Is @p there for accesses in @bb only, so that it needs no register? */
static bool only_accessed(tree p, basic_block bb)
{
	imm_use_iterator i;
	use_operand_p use;
	unsigned n = 0;

	FOR_EACH_IMM_USE_FAST(use, i, p)
	{
		gimple *stmt = USE_STMT(use);

		if (is_gimple_debug(stmt))
			continue;
		if (gimple_bb(stmt) != bb || !gimple_assign_single_p(stmt) || gimple_assign_rhs1(stmt) == p ||
		    ++n > USES_MAX)
			return false;
	}
	return n > 0;
}

/* *@index * the result = @offset. */
static HOST_WIDE_INT scaled(tree offset, basic_block bb, tree *index)
{
	gassign *def = made_by(offset, MULT_EXPR, bb);

	*index = offset;
	if (!def || TREE_CODE(gimple_assign_rhs1(def)) != SSA_NAME ||
	    TREE_CODE(gimple_assign_rhs2(def)) != INTEGER_CST)
		return 1;
	for (HOST_WIDE_INT step = 2; step <= 8; step *= 2)
		if (wi::eq_p(wi::to_wide(gimple_assign_rhs2(def)), step)) {
			*index = gimple_assign_rhs1(def);
			return step;
		}
	return 1;
}

/* @type, @at bytes behind base + index of the addition @sum. */
static tree as_machine_adds(gassign *sum, HOST_WIDE_INT at, tree type, tree alias)
{
	tree base = gimple_assign_rhs1(sum), index;
	HOST_WIDE_INT step = scaled(gimple_assign_rhs2(sum), gimple_bb(sum), &index);

	if (TREE_CODE(base) != SSA_NAME || TREE_CODE(index) != SSA_NAME ||
	    SSA_NAME_OCCURS_IN_ABNORMAL_PHI(base) || SSA_NAME_OCCURS_IN_ABNORMAL_PHI(index))
		return NULL_TREE;
	return build5(TARGET_MEM_REF, type, base, build_int_cst(alias, at), index,
		      step > 1 ? build_int_cst(sizetype, step) : NULL_TREE, NULL_TREE);
}

/* Nothing that a probe must not be moved over lies between @first and @last, in one block. */
static bool close(gimple *first, gimple *last)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(first);

	for (; !gsi_end_p(gsi) && gsi_stmt(gsi) != last; gsi_next(&gsi))
		if (!is_gimple_debug(gsi_stmt(gsi)) &&
		    (!is_gimple_assign(gsi_stmt(gsi)) || gimple_vdef(gsi_stmt(gsi)) ||
		     gimple_has_volatile_ops(gsi_stmt(gsi))))
			return false;
	return !gsi_end_p(gsi);
}

static tree taken_apart(tree ref, gimple **stmt)
{
	poly_int64 size, at;
	machine_mode mode;
	int unsigned_p, reverse, vol = 0;
	tree offset, base;
	gassign *sum;
	tree apart;

	base = get_inner_reference(ref, &size, &at, &offset, &mode, &unsigned_p, &reverse, &vol);
	if (TREE_CODE(base) != MEM_REF || offset || vol || !at.is_constant() ||
	    !multiple_p(at, BITS_PER_UNIT))
		return NULL_TREE;
	sum = made_by(TREE_OPERAND(base, 0), POINTER_PLUS_EXPR, gimple_bb(*stmt));
	if (!sum || !only_accessed(TREE_OPERAND(base, 0), gimple_bb(*stmt)) || !close(sum, *stmt))
		return NULL_TREE;
	apart = as_machine_adds(sum, at.to_constant() / BITS_PER_UNIT + signed_value(TREE_OPERAND(base, 1)),
				TREE_TYPE(ref), reference_alias_ptr_type(ref));
	if (apart)
		*stmt = sum;
	return apart;
}

tree operand_of(tree ref, gimple **stmt)
{
	tree apart;

	while (TREE_CODE(ref) == REALPART_EXPR || TREE_CODE(ref) == IMAGPART_EXPR ||
	       TREE_CODE(ref) == BIT_FIELD_REF || TREE_CODE(ref) == VIEW_CONVERT_EXPR)
		ref = TREE_OPERAND(ref, 0);
	apart = is_gimple_reg_type(TREE_TYPE(ref)) ? taken_apart(ref, stmt) : NULL_TREE;
	return apart ? apart : unshare_expr(ref);
}
