/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a loop may run again: it must not change what it reads. */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/gate/gate.h"
#include "tree-data-ref.h"

#define RANGES_MAX 12
#define CHECKS_MAX 12

/* Bytes base + offset + [low, high), moved by step from turn to turn. */
struct range {
	tree base, offset, step;
	HOST_WIDE_INT low, high;
	bool store;
	tree begin, end; /* as 64-bit numbers, when they are known */
};

static bool same_place(const struct range *a, const struct range *b)
{
	return operand_equal_p(a->base, b->base, 0) && operand_equal_p(a->offset, b->offset, 0) &&
	       operand_equal_p(a->step, b->step, 0);
}

/* Those of one array are one. */
static bool add_range(vec<range> *all, const struct range *r)
{
	for (unsigned i = 0; i < all->length(); i++) {
		struct range *known = &(*all)[i];

		if (!same_place(known, r))
			continue;
		if (known->store != r->store)
			return false;
		known->low = MIN(known->low, r->low);
		known->high = MAX(known->high, r->high);
		return true;
	}
	all->safe_push(*r);
	return all->length() <= RANGES_MAX;
}

static bool range_of(class loop *loop, gassign *stmt, struct range *r)
{
	tree ref, size;
	innermost_loop_behavior at;

	memset(r, 0, sizeof(*r));
	r->store = gimple_store_p(stmt);
	ref = r->store ? gimple_assign_lhs(stmt) : gimple_assign_rhs1(stmt);
	size = TYPE_SIZE_UNIT(TREE_TYPE(ref));
	if (!is_gimple_reg_type(TREE_TYPE(ref)) || !size || !tree_fits_shwi_p(size) ||
	    !dr_analyze_innermost(&at, ref, loop, stmt) || !tree_fits_shwi_p(at.step) ||
	    !tree_fits_shwi_p(at.init))
		return false;
	r->base = at.base_address;
	r->offset = at.offset;
	r->step = at.step;
	r->low = tree_to_shwi(at.init);
	r->high = r->low + tree_to_shwi(size);
	return true;
}

/* Functions of libm that write errno, and nothing else; twice they write the same. */
static bool writes_errno_only(gimple *stmt)
{
	if (!gimple_call_builtin_p(stmt, BUILT_IN_NORMAL))
		return false;
	switch (DECL_FUNCTION_CODE(gimple_call_fndecl(stmt))) {
		CASE_FLT_FN(BUILT_IN_ACOS)
		    : CASE_FLT_FN(BUILT_IN_ACOSH)
		    : CASE_FLT_FN(BUILT_IN_ASIN)
		    : CASE_FLT_FN(BUILT_IN_ATANH)
		    : CASE_FLT_FN(BUILT_IN_COSH)
		    : CASE_FLT_FN(BUILT_IN_SINH)
		    : CASE_FLT_FN(BUILT_IN_EXP)
		    : CASE_FLT_FN(BUILT_IN_EXP2)
		    : CASE_FLT_FN(BUILT_IN_EXP10)
		    : CASE_FLT_FN(BUILT_IN_EXPM1)
		    : CASE_FLT_FN(BUILT_IN_FMOD)
		    : CASE_FLT_FN(BUILT_IN_HYPOT)
		    : CASE_FLT_FN(BUILT_IN_LDEXP)
		    : CASE_FLT_FN(BUILT_IN_LOG)
		    : CASE_FLT_FN(BUILT_IN_LOG2)
		    : CASE_FLT_FN(BUILT_IN_LOG10)
		    : CASE_FLT_FN(BUILT_IN_LOG1P)
		    : CASE_FLT_FN(BUILT_IN_POW)
		    : CASE_FLT_FN(BUILT_IN_REMAINDER)
		    : CASE_FLT_FN(BUILT_IN_SQRT) : CASE_FLT_FN(BUILT_IN_TGAMMA) : return true;
	default:
		return false;
	}
}

/* May call @stmt run twice? */
static bool call_runs_twice(gimple *stmt)
{
	return gimple_call_flags(stmt) & ECF_CONST || writes_errno_only(stmt);
}

/* Statements that may run twice: computations, and accesses whose addresses are known in front of the loop. */
static bool twice_collect(class loop *loop, vec<range> *all)
{
	basic_block *body = get_loop_body(loop);
	bool good = true;

	for (unsigned i = 0; i < loop->num_nodes && good; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi) && good;
		     gsi_next(&gsi)) {
			gimple *stmt = gsi_stmt(gsi);
			struct den_mark m;
			struct range r;

			if (is_gimple_debug(stmt) || den_mark_read(stmt, &m) ||
			    gimple_code(stmt) == GIMPLE_LABEL || gimple_code(stmt) == GIMPLE_COND ||
			    gimple_code(stmt) == GIMPLE_PREDICT)
				continue;
			good = !gimple_has_volatile_ops(stmt) && !stmt_could_throw_p(cfun, stmt) &&
			       (is_gimple_assign(stmt) || (is_gimple_call(stmt) && call_runs_twice(stmt)));
			if (good && is_gimple_assign(stmt) && gimple_vuse(stmt))
				good = range_of(loop, as_a<gassign *>(stmt), &r) && add_range(all, &r);
		}
	free(body);
	return good;
}

static tree variable_of(const struct range *r)
{
	tree base = TREE_CODE(r->base) == ADDR_EXPR ? get_base_address(TREE_OPERAND(r->base, 0)) : NULL_TREE;

	return base && DECL_P(base) ? base : NULL_TREE;
}

/* Is that known without looking? */
static bool surely_apart(const struct range *a, const struct range *b)
{
	tree x = variable_of(a), y = variable_of(b);

	if (x && y)
		return x != y;
	if (!x && !y)
		return false;
	return !TREE_ADDRESSABLE(x ? x : y) && !is_global_var(x ? x : y);
}

/* Where @r begins and ends if the loop has @turns turns behind the first. */
static void place(struct range *r, tree turns, gimple_seq *seq)
{
	tree type = uint64_type_node, at, far, own[2] = {r->base, r->offset};
	bool down = tree_int_cst_sgn(r->step) < 0;

	if (r->begin)
		return;
	for (int i = 0; i < 2; i++) {
		gimple_seq s = NULL;

		own[i] = force_gimple_operand(unshare_expr(fold_convert(type, own[i])), &s, true, NULL_TREE);
		gimple_seq_add_seq_without_update(seq, s);
	}
	at = gimple_build(seq, PLUS_EXPR, type, own[0], own[1]);
	far = gimple_build(seq, MULT_EXPR, type, turns, fold_convert(type, r->step));
	far = gimple_build(seq, PLUS_EXPR, type, at, far);
	r->begin = gimple_build(seq, PLUS_EXPR, type, down ? far : at, build_int_cst(type, r->low));
	r->end = gimple_build(seq, PLUS_EXPR, type, down ? at : far, build_int_cst(type, r->high));
}

static tree apart_now(const struct range *a, const struct range *b, gimple_seq *seq)
{
	tree x = gimple_build(seq, LE_EXPR, boolean_type_node, a->end, b->begin);
	tree y = gimple_build(seq, LE_EXPR, boolean_type_node, b->end, a->begin);

	return gimple_build(seq, BIT_IOR_EXPR, boolean_type_node, x, y);
}

static tree turns_of(class loop *loop, gimple_seq *seq)
{
	tree n = number_of_latch_executions(loop);
	gimple_seq own = NULL;

	if (!n || n == chrec_dont_know || chrec_contains_undetermined(n) || tree_contains_chrecs(n, NULL))
		return NULL_TREE;
	n = force_gimple_operand(unshare_expr(fold_convert(uint64_type_node, n)), &own, true, NULL_TREE);
	gimple_seq_add_seq_without_update(seq, own);
	return n;
}

bool gate_runs_twice(class loop *loop, gimple_seq *seq, tree *apart)
{
	auto_vec<range, RANGES_MAX> all;
	tree turns = NULL_TREE, is = NULL_TREE;
	unsigned checks = 0;

	*apart = NULL_TREE;
	if (!twice_collect(loop, &all))
		return false;
	for (unsigned i = 0; i < all.length(); i++)
		for (unsigned j = 0; j < all.length(); j++) {
			tree both;

			if (!all[i].store || all[j].store || surely_apart(&all[i], &all[j]))
				continue;
			if (!turns)
				turns = turns_of(loop, seq);
			if (!turns || checks++ == CHECKS_MAX)
				return false;
			place(&all[i], turns, seq);
			place(&all[j], turns, seq);
			both = apart_now(&all[i], &all[j], seq);
			is = is ? gimple_build(seq, BIT_AND_EXPR, boolean_type_node, is, both) : both;
		}
	if (!is)
		return true;
	is = gimple_build(seq, NOP_EXPR, uint32_type_node, is);
	*apart = gimple_build(seq, NEGATE_EXPR, uint32_type_node, is);
	return true;
}
