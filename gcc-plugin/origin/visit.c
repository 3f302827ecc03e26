/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions, from the value of a mark to what it is computed of. */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/origin/parts.h"

#define STEPS 16 /* states of memory that are looked at between a load and a store */

bool den_flow_is_load(tree value)
{
	gimple *def = SSA_NAME_DEF_STMT(value);

	return is_gimple_assign(def) && gimple_assign_load_p(def);
}

bool den_flow_mark_of(tree value, gimple *at, struct den_mark *mark)
{
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	{
		gimple *stmt = USE_STMT(use);

		if (den_mark_read(stmt, mark) && mark->value == value && mark->site->kind != PRS_DEN_STORE &&
		    (mark->site->kind != PRS_DEN_LOAD || den_flow_is_load(value)) &&
		    (!at || stmt == at || stmt_dominates_stmt_p(stmt, at)))
			return true;
	}
	return false;
}

static bool without_marks(class loop *loop)
{
	basic_block *body = get_loop_body(loop);
	bool clean = true;
	struct den_mark m;

	for (unsigned i = 0; i < loop->num_nodes; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); clean && !gsi_end_p(gsi);
		     gsi_next(&gsi))
			clean = !den_mark_read(gsi_stmt(gsi), &m);
	free(body);
	return clean;
}

/* Asked for each value and store, so a loop is walked once. */
bool den_flow_in_clean(struct den_flow *f, gimple *stmt)
{
	class loop *loop = gimple_bb(stmt)->loop_father;
	bool *known, clean;

	if (!loop || !loop_outer(loop) || loop->inner)
		return false;
	known = f->clean.get(loop);
	if (known)
		return *known;
	clean = without_marks(loop);
	f->clean.put(loop, clean);
	return clean;
}

void den_flow_counted(struct den_flow *f, class loop *loop)
{
	f->clean.put(loop, true);
}

/* The parts of a complex number or vector, and what else has no mark; but a loop that was seen to has none any more. */
static bool visit_unmarked(struct den_visit *v, tree value, unsigned lane)
{
	gimple *def = SSA_NAME_DEF_STMT(value);
	bool any = false;

	if (!is_gimple_assign(def) || gimple_assign_load_p(def) || den_flow_is_said(value) ||
	    den_flow_in_clean(v->flow, def))
		return v->leaf(v, value, NULL, lane);
	for (unsigned i = 1; i < gimple_num_ops(def); i++) {
		tree op = gimple_op(def, i);
		unsigned type;

		if (op && (TREE_CODE(op) == REALPART_EXPR || TREE_CODE(op) == IMAGPART_EXPR ||
			   TREE_CODE(op) == VIEW_CONVERT_EXPR || TREE_CODE(op) == BIT_FIELD_REF))
			op = TREE_OPERAND(op, 0);
		if (!op || TREE_CODE(op) != SSA_NAME || !den_type(TREE_TYPE(op), &type))
			continue;
		any = true;
		if (!den_flow_visit(v, op, lane))
			return false;
	}
	return any || v->leaf(v, value, NULL, lane);
}

/* Does the source load operand @i of @m, where GCC knows what was stored there?  Then it is a leaf. */
static bool forwarded(const struct den_mark *m, unsigned i)
{
	struct den_mark before;

	return TREE_CODE(m->operand[i]) == SSA_NAME && !den_flow_is_load(m->operand[i]) &&
	       den_mark_before(m, i, &before) && before.site->kind == PRS_DEN_LOAD;
}

bool den_flow_visit(struct den_visit *v, tree value, unsigned lane)
{
	struct den_mark m;

	value = den_strip(value);
	if (TREE_CODE(value) != SSA_NAME || !v->left)
		return true;
	v->left--;
	if (!den_flow_mark_of(value, v->at, &m))
		return visit_unmarked(v, value, lane);
	if (m.site->kind == PRS_DEN_LOAD)
		return v->leaf(v, value, &m, lane);
	if (v->loop && !flow_bb_inside_loop_p(v->loop, gimple_bb(m.stmt)))
		return v->leaf(v, value, NULL, lane);
	if (!v->seen->add(value) && !v->operation(v, &m, lane))
		return false;
	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		if (m.operand[i] && !(v->strict && forwarded(&m, i) ? v->leaf(v, m.operand[i], NULL, lane)
								    : den_flow_visit(v, m.operand[i], lane)))
			return false;
	return true;
}

/* @states has @state, too. */
static void add_state(vec<tree> *states, tree state)
{
	if (!states->contains(state))
		states->safe_push(state);
}

/* All states that memory had on ways from the load to @at are looked at. */
bool den_flow_overwritten(gimple *load, gimple *at)
{
	auto_vec<tree, STEPS> states;
	ao_ref ref;

	ao_ref_init(&ref, gimple_assign_rhs1(load));
	states.safe_push(gimple_vuse(at));
	for (unsigned i = 0; i < states.length(); i++) {
		tree state = states[i];
		gimple *def;

		if (state == gimple_vuse(load))
			continue;
		if (i == STEPS || TREE_CODE(state) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(state))
			return true;
		def = SSA_NAME_DEF_STMT(state);
		if (gimple_code(def) != GIMPLE_PHI) {
			if (!den_writes_errno(def) && stmt_may_clobber_ref_p_1(def, &ref))
				return true;
			add_state(&states, gimple_vuse(def));
			continue;
		}
		for (unsigned k = 0; k < gimple_phi_num_args(def); k++)
			add_state(&states, gimple_phi_arg_def(def, k));
	}
	return false;
}
