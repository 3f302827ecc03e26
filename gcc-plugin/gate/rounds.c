/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * before                          after
 *     x = first                       state = first; left = turns of the loop
 *     loop: x = ...             head: x = state; m = turns of this round
 *                                     loop, m turns: x = ...
 *                                     next = x; left -= m
 *                                     if (left) { state = next; goto head; }
 *
 * As long as nothing is denormal one round has all turns.  Behind the first denormal rounds are
 * short, and each is tried without counters; those that count become longer where many follow.
 */
#include "gcc-plugin/origin/flow.h"
#include "gcc-plugin/gate/gate.h"
#include "gcc-plugin/gate/rounds.h"

#define SHORT 64   /* turns of a round behind a denormal */
#define LONG  2048 /* ... of one that counts, at most */

static tree turns_const(HOST_WIDE_INT n)
{
	return build_int_cst(uint64_type_node, n);
}

unsigned rounds_least(void)
{
	return SHORT;
}

bool rounds_suit(class loop *loop, bool vector)
{
	edge exit = single_exit(loop);
	tree n = number_of_latch_executions(loop);

	/* Only loops of known turns are vectorised then. */
	if (vector && flag_vect_cost_model == VECT_COST_MODEL_VERY_CHEAP)
		return false;
	if (!n || n == chrec_dont_know || chrec_contains_undetermined(n) || tree_contains_chrecs(n, NULL) ||
	    (tree_fits_uhwi_p(n) && tree_to_uhwi(n) < SHORT + SHORT / 2 - 1))
		return false;
	if (!single_pred_p(loop->latch) || single_pred(loop->latch) != exit->src ||
	    !empty_block_p(loop->latch) || !is_a<gcond *>(GCC_LAST_STMT(exit->src)))
		return false;
	for (gphi_iterator gsi = gsi_start_phis(loop->header); !gsi_end_p(gsi); gsi_next(&gsi))
		if (SSA_NAME_OCCURS_IN_ABNORMAL_PHI(gimple_phi_result(gsi.phi())))
			return false;
	return true;
}

/* The loop ends after @turns turns, whatever its own condition was. */
static void count_turns(class loop *loop, tree turns)
{
	tree before = make_ssa_name(uint64_type_node), after = make_ssa_name(uint64_type_node);
	gphi *phi = create_phi_node(before, loop->header);
	edge exit = single_exit(loop);
	gimple_stmt_iterator gsi = gsi_last_bb(exit->src);
	gcond *cond = as_a<gcond *>(gsi_stmt(gsi));

	add_phi_arg(phi, turns_const(0), loop_preheader_edge(loop), UNKNOWN_LOCATION);
	add_phi_arg(phi, after, loop_latch_edge(loop), UNKNOWN_LOCATION);
	gsi_insert_before(&gsi, gimple_build_assign(after, PLUS_EXPR, before, turns_const(1)), GSI_SAME_STMT);
	gimple_cond_set_condition(cond, exit->flags & EDGE_TRUE_VALUE ? EQ_EXPR : NE_EXPR, after, turns);
	update_stmt(cond);
	free_numbers_of_iterations_estimates(loop);
	loop->nb_iterations = NULL_TREE;
}

/* The variable that a value of @phi goes from round to round in, before @loop is changed. */
static tree state_of(class loop *loop, gphi *phi)
{
	tree type = TREE_TYPE(gimple_phi_result(phi));

	if (den_flow_wanted() && den_flow_carried(loop, phi))
		return den_flow_state(type);
	return create_tmp_reg(type, "state");
}

void rounds_split(struct gate_rounds *r, class loop *loop, basic_block entry, basic_block head)
{
	tree n = number_of_latch_executions(loop);
	gimple_seq seq = NULL, own = NULL;

	r->used = true;
	n = force_gimple_operand(unshare_expr(fold_convert(uint64_type_node, n)), &own, true, NULL_TREE);
	gimple_seq_add_seq_without_update(&seq, own);
	r->all = gimple_build(&seq, PLUS_EXPR, uint64_type_node, n, turns_const(1));
	gate_append(entry, seq);
	seq = NULL;
	for (gphi_iterator gsi = gsi_start_phis(loop->header); !gsi_end_p(gsi); gsi_next(&gsi))
		if (!virtual_operand_p(gimple_phi_result(gsi.phi())))
			r->state.safe_push(state_of(loop, gsi.phi()));
	for (gphi_iterator gsi = gsi_start_phis(loop->header); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gphi *phi = gsi.phi();
		tree first = PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(loop)), name;

		if (virtual_operand_p(gimple_phi_result(phi)))
			continue;
		name = make_ssa_name(TREE_TYPE(gimple_phi_result(phi)));
		r->first.safe_push(first);
		r->begin.safe_push(gimple_build_assign(name, first));
		r->next.safe_push(create_tmp_reg(TREE_TYPE(name), "next"));
		gimple_seq_add_stmt_without_update(&seq, r->begin.last());
		SET_PHI_ARG_DEF(phi, loop_preheader_edge(loop)->dest_idx, name);
	}
	r->turns = make_ssa_name(uint64_type_node);
	r->length = gimple_build_assign(r->turns, r->all);
	gimple_seq_add_stmt_without_update(&seq, r->length);
	gate_append(head, seq);
	count_turns(loop, r->turns);
	r->left = create_tmp_reg(uint64_type_node, "left");
	r->slow = create_tmp_reg(uint32_type_node, "slow");
	r->span = create_tmp_reg(uint64_type_node, "span");
	r->then = create_tmp_reg(uint64_type_node, "then");
}

static tree rounds_is(gimple_seq *seq, tree variable)
{
	tree value = gate_read(seq, variable);

	return gimple_build(seq, NE_EXPR, boolean_type_node, value, build_zero_cst(TREE_TYPE(value)));
}

void rounds_begin(struct gate_rounds *r, class loop *loop, basic_block entry, tree go, tree slow, bool always)
{
	tree type = uint64_type_node, most, left;
	gimple_seq seq = NULL;
	gimple_stmt_iterator gsi;

	for (unsigned i = 0; i < r->state.length(); i++) {
		gate_assign(&seq, r->state[i], r->first[i]);
		gimple_assign_set_rhs1(r->begin[i], r->state[i]);
		update_stmt(r->begin[i]);
	}
	gate_assign(&seq, r->left, r->all);
	gate_assign(&seq, r->slow, slow);
	/* Where arrays meet, all rounds count. */
	most = turns_const(SHORT);
	if (always)
		most = gimple_build(&seq, COND_EXPR, type, rounds_is(&seq, go), turns_const(SHORT), r->all);
	gate_assign(&seq, r->span, most);
	gate_append(entry, seq);
	seq = NULL;
	most = gimple_build(&seq, COND_EXPR, type, rounds_is(&seq, r->slow), turns_const(SHORT),
			    turns_const(r->most == ~0u ? -1 : (HOST_WIDE_INT)r->most));
	most = gimple_build(&seq, COND_EXPR, type, rounds_is(&seq, go), most, gate_read(&seq, r->span));
	left = gate_read(&seq, r->left);
	most = gimple_build(&seq, MIN_EXPR, type, left, most);
	gsi = gsi_for_stmt(r->length);
	gsi_insert_seq_before(&gsi, seq, GSI_SAME_STMT);
	gimple_assign_set_rhs1(r->length, most);
	update_stmt(r->length);
	if (!den_flow_wanted())
		return;
	seq = NULL;
	den_flow_round(&seq, r->all, left);
	gate_append(loop_preheader_edge(loop)->src, seq);
}

void rounds_behind(struct gate_rounds *r, class loop *version, basic_block exit, bool counted)
{
	tree type = uint64_type_node, span;
	gimple_seq seq = NULL;
	unsigned i = 0;

	for (gphi_iterator gsi = gsi_start_phis(version->header); !gsi_end_p(gsi) && i < r->next.length();
	     gsi_next(&gsi))
		if (!virtual_operand_p(gimple_phi_result(gsi.phi())))
			gate_assign(&seq, r->next[i++],
				    PHI_ARG_DEF_FROM_EDGE(gsi.phi(), loop_latch_edge(version)));
	span = turns_const(SHORT);
	if (counted) {
		span = gate_read(&seq, r->span);
		span = gimple_build(&seq, PLUS_EXPR, type, span, span);
		span = gimple_build(&seq, MIN_EXPR, type, span, turns_const(MIN(LONG, r->longest)));
		gate_assign(&seq, r->slow, build_one_cst(uint32_type_node));
	}
	gate_assign(&seq, r->then, span);
	gate_append(exit, seq);
}

tree rounds_done(const struct gate_rounds *r, basic_block head)
{
	gimple_seq seq = NULL;
	tree done = gimple_build(&seq, MINUS_EXPR, uint64_type_node, r->all, gate_read(&seq, r->left));

	gate_append(head, seq);
	return done;
}

void rounds_over(struct gate_rounds *r, gimple_seq *seq, tree *more)
{
	tree left = gate_read(seq, r->left);

	for (unsigned i = 0; i < r->state.length(); i++)
		gate_assign(seq, r->state[i], gate_read(seq, r->next[i]));
	left = gimple_build(seq, MINUS_EXPR, uint64_type_node, left, r->turns);
	gate_assign(seq, r->left, left);
	gate_assign(seq, r->span, gate_read(seq, r->then));
	*more = left;
}
