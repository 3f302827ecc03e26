/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus-den-rest: marks that are in no loop of sums.
 *
 * before                          after
 *     mark ("mul ...", r, x, y);      if (denormal (r) | denormal (x) | denormal (y)) {   (seldom)
 *                                             t = table ();
 *                                             t[7] += denormal (r);
 *                                             ...
 *                                     }
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/denormal/count.h"
#include "gcc-plugin/denormal/den-pass.h"
#include "gcc-plugin/denormal/fuse.h"
#include "gcc-plugin/denormal/table.h"
#include "gcc-plugin/denormal/test.h"

struct cold {
	tree table;
	const struct den_mark *mark;
	den_known *tests;
};

static tree test_here(struct den_count *c, tree value, unsigned lane)
{
	struct cold *cold = (struct cold *)c->more;
	uint64_t key = ((uint64_t)(uintptr_t)value << 6) + lane + 2;
	bool existed;
	tree &t = cold->tests->get_or_insert(key, &existed);

	if (!existed) {
		tree mask = den_test(&c->seq, value, lane, false);

		cold->tests->put(key, mask);
		return mask;
	}
	return t;
}

static void add_here(struct den_count *c, struct den_site *site, unsigned role, unsigned operand, tree mask)
{
	struct cold *cold = (struct cold *)c->more;
	tree count = gimple_build(&c->seq, NEGATE_EXPR, uint64_type_node,
				  den_widen(&c->seq, mask, uint64_type_node));

	if (!cold->table)
		cold->table = den_table(&c->seq);
	den_table_add(&c->seq, cold->table, den_slot(site, role, operand), count);
	if (role == PRS_DEN_RESULT && site->kind <= PRS_DEN_STORE)
		den_table_array(&c->seq, cold->mark, cold->mark->address, count);
}

/* Whether anything that @m is about is denormal. */
static tree any_of(gimple_seq *seq, const struct den_mark *m)
{
	tree all = NULL_TREE;

	for (unsigned i = 0; i <= DEN_OPERANDS; i++) {
		tree value = den_mark_about(m, i);
		unsigned n = value ? den_lanes(TREE_TYPE(value)) : 0;

		for (unsigned lane = 0; lane < n; lane++) {
			tree t = den_widen(seq, den_test(seq, value, lane, false), uint64_type_node);

			all = all ? gimple_build(seq, BIT_IOR_EXPR, uint64_type_node, all, t) : t;
		}
	}
	return all;
}

static void count_one(const struct den_mark *m)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(m->stmt);
	den_known tests, leaves;
	struct cold cold = {NULL_TREE, m, &tests};
	struct den_count c = {NULL, test_here, add_here, &leaves, &cold};
	gimple_seq hot = NULL;
	tree any = any_of(&hot, m);
	basic_block bb;

	if (any && TREE_CODE(any) == SSA_NAME) {
		den_count(&c, m);
		gsi_insert_seq_before(&gsi, hot, GSI_SAME_STMT);
		bb = split_block(gimple_bb(m->stmt), m->stmt)->src;
		gsi = gsi_for_stmt(m->stmt);
		gsi_remove(&gsi, true);
		bb = den_seldom(bb, any);
		gsi = gsi_last_bb(bb);
		gsi_insert_seq_after(&gsi, c.seq, GSI_NEW_STMT);
		return;
	}
	gsi_remove(&gsi, true);
}

static unsigned rest_execute(function *fun)
{
	int *order = XNEWVEC(int, n_basic_blocks_for_fn(fun));
	auto_vec<den_mark, 64> marks;
	int n;

	calculate_dominance_info(CDI_DOMINATORS);
	den_fuse(fun);
	n = pre_and_rev_post_order_compute_fn(fun, NULL, order, false);
	for (int i = 0; i < n; i++) {
		basic_block bb = BASIC_BLOCK_FOR_FN(fun, order[i]);

		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			struct den_mark m;

			if (den_mark_read(gsi_stmt(gsi), &m))
				marks.safe_push(m);
		}
	}
	free(order);
	/* Those before are needed till then. */
	for (unsigned i = marks.length(); i-- > 0;)
		count_one(&marks[i]);
	return marks.length() ? TODO_update_ssa | TODO_cleanup_cfg : 0;
}

static const pass_data rest_data = {
	GIMPLE_PASS, "perseus-den-rest", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};

namespace
{
class pass_den_rest : public gimple_opt_pass
{
      public:
	pass_den_rest(gcc::context *ctxt) : gimple_opt_pass(rest_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.denormal && !seen_error();
	}
	unsigned int execute(function *fun) final override
	{
		return rest_execute(fun);
	}
};
} // namespace

gimple_opt_pass *make_pass_den_rest(gcc::context *ctxt)
{
	return new pass_den_rest(ctxt);
}
