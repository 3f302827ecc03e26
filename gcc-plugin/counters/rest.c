/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus-den-rest: marks that are in no loop of sums.
 *
 * before                          after
 *     mark ("mul ...", r, x, y);      if (denormal (r) or denormal (x) or denormal (y)) {    (seldom)
 *                                             t = table ();
 *                                             t[7] += denormal (r);
 *                                             ...
 *                                     }
 *
 * Behind what may have turned on flush-to-zero, the runtime looks at the register.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/denormal/call.h"
#include "gcc-plugin/denormal/count.h"
#include "gcc-plugin/denormal/den-pass.h"
#include "gcc-plugin/denormal/fuse.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/origin/flow.h"
#include "gcc-plugin/counters/first.h"
#include "gcc-plugin/counters/group.h"

#define IN_LINE 12 /* counters of marks side by side; of more a call is less code */

static void add_here(struct den_count *c, struct den_site *site, unsigned role, unsigned operand, tree mask)
{
	tree *table = (tree *)c->more;
	tree count = gimple_build(&c->seq, NEGATE_EXPR, uint64_type_node,
				  den_widen(&c->seq, mask, uint64_type_node));

	if (!*table)
		*table = den_table(&c->seq);
	den_table_add(&c->seq, *table, den_slot(site, role, operand), count);
	if (role == PRS_DEN_RESULT && site->kind <= PRS_DEN_STORE)
		den_table_array(&c->seq, c->mark, c->mark->address, count);
}

static void count_all(function *fun, const vec<den_mark> *marks)
{
	auto_vec<unsigned, 32> begins;
	struct den_call call = {};
	struct den_flow flow;

	if (den_flow_wanted() && den_is_first_pass())
		den_flow_stores(&flow, fun);
	for (unsigned i = 0; i < marks->length(); i = den_group_end(marks, i))
		begins.safe_push(i);
	begins.safe_push(marks->length());
	for (unsigned i = 0; i + 1 < begins.length(); i++) {
		tree table = NULL_TREE;
		bool called = den_counters(marks, begins[i], begins[i + 1]) > IN_LINE;
		struct den_count c = {NULL,
				      NULL,
				      add_here,
				      NULL,
				      NULL,
				      NULL,
				      &table,
				      den_flow_wanted() ? &flow : NULL,
				      called ? &call : NULL};

		den_group_count(&c, marks, begins[i], begins[i + 1]);
	}
	for (unsigned i = 0; i < marks->length(); i++) {
		gimple_stmt_iterator gsi = gsi_for_stmt((*marks)[i].stmt);

		gsi_remove(&gsi, true);
	}
	den_flow_end(&flow);
	den_call_finish(&call);
}

static bool look_behind(gimple_stmt_iterator gsi)
{
	gimple_stmt_iterator next = gsi;
	gimple *look;
	gasm *end;

	gsi_next_nondebug(&next);
	if (stmt_ends_bb_p(gsi_stmt(gsi)) || (!gsi_end_p(next) && asm_den_is_look(gsi_stmt(next))))
		return false;
	look = asm_den_look();
	gimple_set_location(look, gimple_location(gsi_stmt(gsi)));
	gsi_insert_after(&gsi, look, GSI_NEW_STMT);
	/* Else it may become a jump, and it would be our caller who sets the register. */
	end = gimple_build_asm_vec("", NULL, NULL, NULL, NULL);
	gimple_asm_set_volatile(end, true);
	gsi_insert_after(&gsi, end, GSI_NEW_STMT);
	return true;
}

static unsigned rest_execute(function *fun)
{
	int *order = XNEWVEC(int, n_basic_blocks_for_fn(fun));
	auto_vec<den_mark, 64> marks;
	bool looks = false;
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
			else if (asm_den_sets(gsi_stmt(gsi)))
				looks |= look_behind(gsi);
		}
	}
	free(order);
	den_group_places(&marks);
	count_all(fun, &marks);
	if (den_flow_wanted()) {
		den_flow_said(fun);
		den_flow_copies(fun);
	}
	return marks.length() || looks ? TODO_update_ssa | TODO_cleanup_cfg : 0;
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
