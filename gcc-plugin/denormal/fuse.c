/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "internal-fn.h"
#include "gcc-plugin/denormal/fuse.h"
#include "gcc-plugin/denormal/mark.h"
#include "perseus/sites.h"

static bool is_mark(gimple *stmt)
{
	struct den_mark m;

	return den_mark_read(stmt, &m);
}

/* Are all uses of @value that the program has additions and subtractions, but for a sign? */
static bool only_added(tree value, bool sign)
{
	imm_use_iterator it;
	use_operand_p use;
	bool any = false;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	{
		gimple *stmt = USE_STMT(use);
		enum tree_code code = is_gimple_assign(stmt) ? gimple_assign_rhs_code(stmt) : ERROR_MARK;

		if (is_gimple_debug(stmt) || is_mark(stmt))
			continue;
		any = true;
		if (code == NEGATE_EXPR && sign ? !only_added(gimple_assign_lhs(stmt), false)
						: code != PLUS_EXPR && code != MINUS_EXPR)
			return false;
	}
	return any;
}

static bool contracts(void)
{
	return optimize && flag_fp_contract_mode == FP_CONTRACT_FAST;
}

bool den_fuse_type(tree type)
{
	return contracts() && FLOAT_TYPE_P(type) && TREE_CODE(type) != COMPLEX_TYPE &&
	       direct_internal_fn_supported_p(IFN_FMA, type, OPTIMIZE_FOR_SPEED);
}

static bool may_fuse(gimple *stmt)
{
	tree value;

	if (!is_gimple_assign(stmt) || gimple_assign_rhs_code(stmt) != MULT_EXPR)
		return false;
	value = gimple_assign_lhs(stmt);
	return den_fuse_type(TREE_TYPE(value)) && only_added(value, true);
}

/* What the mark of a sum becomes: @of is its product's, NULL if that has none. */
static void fused_site(const struct den_mark *sum, unsigned i, const struct den_mark *of, struct den_site *s)
{
	*s = *sum->site;
	s->kind = PRS_DEN_FMA;
	s->id = prs_fnv64_text(sum->site->id, "fma");
	s->operands = DEN_OPERANDS;
	s->slots &=
		~(DEN_SLOT(PRS_DEN_OPERAND, 0) | DEN_SLOT(PRS_DEN_OPERAND, 1) | DEN_SLOT(PRS_DEN_OPERAND, 2));
	s->link[2] = sum->site->link[1 - i];
	if (den_has(sum->site, PRS_DEN_OPERAND, 1 - i))
		s->slots |= DEN_SLOT(PRS_DEN_OPERAND, 2);
	for (unsigned o = 0; o < 2; o++) {
		s->link[o] = of ? of->site->link[o] : DEN_LINK_NONE;
		if (of && den_has(of->site, PRS_DEN_OPERAND, o))
			s->slots |= DEN_SLOT(PRS_DEN_OPERAND, o);
	}
}

/* @sum adds its operand @i, the product @value. */
static void fuse(const struct den_mark *sum, unsigned i, const struct den_mark *of)
{
	struct den_mark fused = *sum;
	struct den_site site;

	fused_site(sum, i, of, &site);
	fused.operand[2] = sum->operand[1 - i];
	for (unsigned o = 0; o < 2; o++)
		fused.operand[o] = of ? of->operand[o] : NULL_TREE;
	/* With two products one only is contracted, and it is not known which. */
	if (fused.operand[2] && TREE_CODE(fused.operand[2]) == SSA_NAME &&
	    may_fuse(SSA_NAME_DEF_STMT(fused.operand[2])))
		fused.operand[2] = NULL_TREE;
	den_mark_write(&fused, &site);
}

static void drop(gimple *stmt)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(stmt);

	gsi_remove(&gsi, true);
}

/* A mark that is about the product @value, of which @of is the mark. */
static void change(gimple *stmt, tree value, const struct den_mark *of)
{
	struct den_mark m;
	unsigned kind;

	if (!den_mark_read(stmt, &m))
		return;
	kind = m.site->kind;
	for (unsigned i = 0; i < 2 && m.value != value && (kind == PRS_DEN_ADD || kind == PRS_DEN_SUB); i++)
		if (m.operand[i] == value) {
			fuse(&m, i, of);
			return;
		}
	if (m.value == value) {
		drop(stmt);
		return;
	}
	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		if (m.operand[i] == value)
			m.operand[i] = NULL_TREE;
	den_mark_write(&m, m.site);
}

static void unmark(tree value)
{
	auto_vec<gimple *, 8> marks;
	struct den_mark of, *found = NULL;
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	if (is_mark(USE_STMT(use)) && !marks.contains(USE_STMT(use)))
		marks.safe_push(USE_STMT(use));
	for (unsigned i = 0; i < marks.length() && !found; i++)
		if (den_mark_read(marks[i], &of) && of.value == value && of.site->kind == PRS_DEN_MUL)
			found = &of;
	for (unsigned i = 0; i < marks.length(); i++)
		change(marks[i], value, found);
}

/* Has @value uses in @bb? */
static bool used_in(tree value, basic_block bb)
{
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	if (!is_gimple_debug(USE_STMT(use)) && gimple_bb(USE_STMT(use)) == bb)
		return true;
	return false;
}

/* Are all additions of the product @value, or of minus it, in @a or @b? */
static bool only_in(tree value, basic_block a, basic_block b)
{
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	{
		gimple *stmt = USE_STMT(use);

		if (is_gimple_debug(stmt) || is_mark(stmt))
			continue;
		if (gimple_bb(stmt) != a && gimple_bb(stmt) != b)
			return false;
		if (gimple_assign_rhs_code(stmt) == NEGATE_EXPR && !only_in(gimple_assign_lhs(stmt), a, b))
			return false;
	}
	return true;
}

/* Is @stmt a product, or minus one, that would have been contracted with a sum that lies in @behind now? */
static bool parted(gimple *stmt, basic_block behind)
{
	gimple *product = stmt;

	if (is_gimple_assign(stmt) && gimple_assign_rhs_code(stmt) == NEGATE_EXPR &&
	    TREE_CODE(gimple_assign_rhs1(stmt)) == SSA_NAME)
		product = SSA_NAME_DEF_STMT(gimple_assign_rhs1(stmt));
	return gimple_bb(product) == gimple_bb(stmt) && may_fuse(product) &&
	       used_in(gimple_assign_lhs(stmt), behind) &&
	       only_in(gimple_assign_lhs(product), gimple_bb(stmt), behind);
}

/* What uses the value of @stmt in @behind has it from a copy at its begin; the value is the same. */
static void copy_to(gimple *stmt, basic_block behind)
{
	gimple_stmt_iterator gsi = gsi_after_labels(behind);
	tree value = gimple_assign_lhs(stmt), again = make_ssa_name(TREE_TYPE(value));
	gimple *copy = gimple_copy(stmt), *user;
	imm_use_iterator it;
	use_operand_p use;

	gimple_assign_set_lhs(copy, again);
	gsi_insert_before(&gsi, copy, GSI_SAME_STMT);
	FOR_EACH_IMM_USE_STMT(user, it, value)
	{
		if (gimple_bb(user) != behind)
			continue;
		FOR_EACH_IMM_USE_ON_STMT(use, it)
		SET_USE(use, again);
		update_stmt(user);
	}
}

edge den_fuse_split(gimple *last)
{
	edge e = split_block(gimple_bb(last), last);

	/* From the last to the first, so that the copies are in the order of what they are copies of. */
	for (gimple_stmt_iterator gsi = gsi_last_bb(e->src); contracts() && !gsi_end_p(gsi);) {
		gimple *stmt = gsi_stmt(gsi);

		gsi_prev(&gsi);
		if (!parted(stmt, e->dest))
			continue;
		copy_to(stmt, e->dest);
		if (stmt != last && !used_in(gimple_assign_lhs(stmt), e->src)) {
			gimple_stmt_iterator own = gsi_for_stmt(stmt);

			gsi_remove(&own, true);
			release_defs(stmt);
		}
	}
	return e;
}

void den_fuse(function *fun)
{
	basic_block bb;

	if (!contracts())
		return;
	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
		if (may_fuse(gsi_stmt(gsi)))
			unmark(gimple_assign_lhs(gsi_stmt(gsi)));
}
