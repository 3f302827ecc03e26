/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts come from GCC's own analysis.  What it does not answer is whether an
 * access of an inner loop runs in each iteration of the outer ones: after loop
 * headers are copied the inner loop stands behind a test of its bound,
 *
 *     for (i...)
 *         if (n > 0)
 *             for (j = 0; j < n; j++)
 *
 * and that test does not change in the outer loop.  Such tests are handed out,
 * to be made once, where the range is computed.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/ranges/trips.h"

struct outward {
	class loop *loop;
	bool failed;
};

static bool from_inside(class loop *loop, tree name)
{
	basic_block bb = gimple_bb(SSA_NAME_DEF_STMT(name));

	return bb && flow_bb_inside_loop_p(loop, bb);
}

static tree outside_value(tree name, void *data)
{
	struct outward *o = (struct outward *)data;
	affine_iv iv;

	if (TREE_CODE(name) != SSA_NAME || !from_inside(o->loop, name))
		return name;
	if (!simple_iv(o->loop, o->loop, name, &iv, true) || !integer_zerop(iv.step)) {
		o->failed = true;
		return name;
	}
	return iv.base;
}

static tree find_memory(tree *at, int *walk, void *)
{
	if (TREE_CODE(*at) == ADDR_EXPR)
		*walk = 0;
	return DECL_P(*at) || INDIRECT_REF_P(*at) || TREE_CODE(*at) == MEM_REF ? *at : NULL_TREE;
}

tree trips_invariant(class loop *loop, tree expr)
{
	struct outward o = {loop, false};

	if (!expr || is_gimple_min_invariant(expr))
		return expr;
	if (tree_contains_chrecs(expr, NULL) || walk_tree(&expr, find_memory, NULL, NULL))
		return NULL_TREE;
	expr = simplify_replace_tree(expr, NULL_TREE, NULL_TREE, outside_value, &o);
	return o.failed || tree_contains_chrecs(expr, NULL) || generic_expr_could_trap_p(expr) ? NULL_TREE
											       : expr;
}

/* The condition under which @d, the only predecessor of @bb, goes there; in front of @loop. */
static tree trips_condition(basic_block d, basic_block bb, class loop *loop)
{
	gcond *cond = safe_dyn_cast<gcond *>(GCC_LAST_STMT(d));
	tree left, right, test;

	if (!cond || !single_pred_p(bb) || single_pred(bb) != d)
		return NULL_TREE;
	left = trips_invariant(loop, gimple_cond_lhs(cond));
	right = trips_invariant(loop, gimple_cond_rhs(cond));
	if (!left || !right || FLOAT_TYPE_P(TREE_TYPE(left)))
		return NULL_TREE;
	test = fold_build2(gimple_cond_code(cond), boolean_type_node, left, right);
	if (single_pred_edge(bb)->flags & EDGE_FALSE_VALUE)
		test = fold_build1(TRUTH_NOT_EXPR, boolean_type_node, test);
	return test;
}

/* Does every way from @from through an iteration of @loop lead over @to?  It may hold inner loops. */
static bool leads_to(basic_block from, basic_block to, class loop *loop)
{
	auto_vec<basic_block, 16> open;
	auto_bitmap seen;
	edge_iterator i;
	edge e;

	open.safe_push(from);
	while (open.length()) {
		basic_block bb = open.pop();

		FOR_EACH_EDGE(e, i, bb->succs)
		{
			if (e->dest == to)
				continue;
			if (e->dest == loop->header || !flow_bb_inside_loop_p(loop, e->dest))
				return false;
			if (bitmap_set_bit(seen, e->dest->index))
				open.safe_push(e->dest);
		}
	}
	return true;
}

basic_block trips_reach(basic_block bb, class loop *loop, vec<tree> *conds)
{
	while (!dominated_by_p(CDI_DOMINATORS, loop->latch, bb)) {
		basic_block d = get_immediate_dominator(CDI_DOMINATORS, bb);
		tree test;

		if (!d || bb == loop->header || !flow_bb_inside_loop_p(loop, d))
			return NULL;
		if (!leads_to(d, bb, loop)) {
			test = trips_condition(d, bb, loop);
			if (!test)
				return NULL;
			conds->safe_push(test);
		}
		bb = d;
	}
	return bb;
}

tree trips_count(basic_block bb, class loop *loop, bool *none)
{
	edge exit = single_exit(loop);
	tree latch = exit ? number_of_latch_executions(loop) : NULL_TREE;

	if (!latch || latch == chrec_dont_know || !INTEGRAL_TYPE_P(TREE_TYPE(latch)))
		return NULL_TREE;
	latch = trips_invariant(loop, latch);
	if (!latch)
		return NULL_TREE;
	latch = fold_convert(sizetype, latch);
	if (dominated_by_p(CDI_DOMINATORS, exit->src, bb))
		return fold_build2(PLUS_EXPR, sizetype, latch, size_one_node);
	*none |= !integer_nonzerop(latch);
	return latch;
}

bool trips_any(basic_block bb, class loop *loop)
{
	auto_vec<edge> exits = get_loop_exit_edges(loop);

	for (unsigned i = 0; i < exits.length(); i++)
		if (!dominated_by_p(CDI_DOMINATORS, exits[i]->src, bb))
			return false;
	return true;
}
