/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Behind a loop: what its stores depend on is told once for all turns, or once for each round, where
 * addresses go on evenly.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "tree-data-ref.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/denormal/call.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/origin/parts.h"

#define TURNS 8                 /* that a loaded value may stay in registers */
#define STATE "perseus_carried" /* temporaries are STATE and ".N", which no name of a program has */

struct behind {
	struct den_flow *flow;
	struct den_call *call;
	gimple_seq *seq;
	class loop *loop;
	tree (*born)(void *more, const struct den_site *site);
	void *more;
};

/* How the address of @stmt's access goes on in @loop. */
static bool even_access(class loop *loop, gimple *stmt, innermost_loop_behavior *how)
{
	tree ref = gimple_store_p(stmt) ? gimple_assign_lhs(stmt) : gimple_assign_rhs1(stmt);

	if (gimple_has_volatile_ops(stmt) || TREE_CODE(ref) == BIT_FIELD_REF ||
	    TREE_CODE(ref) == REALPART_EXPR || TREE_CODE(ref) == IMAGPART_EXPR)
		return false;
	return dr_analyze_innermost(how, ref, loop, stmt) && how->base_address && how->step;
}

static bool inside(class loop *loop, tree value)
{
	return !SSA_NAME_IS_DEFAULT_DEF(value) &&
	       flow_bb_inside_loop_p(loop, gimple_bb(SSA_NAME_DEF_STMT(value)));
}

tree den_flow_state(tree type)
{
	return create_tmp_reg(type, STATE);
}

/* Is @value one of those, as a round begins? */
static bool state(tree value)
{
	gimple *def = TREE_CODE(value) == SSA_NAME ? SSA_NAME_DEF_STMT(value) : NULL;
	tree from = def && gimple_assign_ssa_name_copy_p(def) ? SSA_NAME_IDENTIFIER(gimple_assign_rhs1(def))
							      : NULL_TREE;

	return from && !strncmp(IDENTIFIER_POINTER(from), STATE ".", strlen(STATE "."));
}

/* Does @value, loaded before the loop, come from where @how leads @turns before its begin? */
static bool earlier(tree value, const innermost_loop_behavior *how, unsigned turns)
{
	innermost_loop_behavior first;
	tree before;

	if (state(value) && TREE_CODE(how->step) == INTEGER_CST)
		return true;
	if (TREE_CODE(value) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(value) || !den_flow_is_load(value) ||
	    TREE_CODE(how->step) != INTEGER_CST || !even_access(NULL, SSA_NAME_DEF_STMT(value), &first))
		return false;
	before =
		size_binop(MINUS_EXPR, fold_convert(ssizetype, size_binop(PLUS_EXPR, how->offset, how->init)),
			   size_binop(MULT_EXPR, fold_convert(ssizetype, how->step), ssize_int(turns)));
	first.offset = fold_convert(ssizetype, size_binop(PLUS_EXPR, first.offset, first.init));
	return operand_equal_p(first.base_address, how->base_address, 0) &&
	       operand_equal_p(first.offset, before, 0);
}

/*
 * @value is loaded in @loop, or it merges what was loaded in the turn before, as
 * loads that several turns share do: then *@how is that of the load that is not there.
 */
static bool even_value(class loop *loop, tree value, innermost_loop_behavior *how, gimple **load)
{
	edge latch = loop_latch_edge(loop), entry = loop_preheader_edge(loop);
	tree init[TURNS];
	unsigned turns = 0;

	while (turns < TURNS && gimple_code(SSA_NAME_DEF_STMT(value)) == GIMPLE_PHI) {
		gphi *phi = as_a<gphi *>(SSA_NAME_DEF_STMT(value));

		if (gimple_bb(phi) != loop->header)
			return false;
		init[turns++] = PHI_ARG_DEF_FROM_EDGE(phi, entry);
		value = PHI_ARG_DEF_FROM_EDGE(phi, latch);
		if (TREE_CODE(value) != SSA_NAME || !inside(loop, value))
			return false;
	}
	*load = SSA_NAME_DEF_STMT(value);
	if (!den_flow_is_load(value) || !even_access(loop, *load, how))
		return false;
	for (unsigned i = 0; i < turns; i++)
		if (!earlier(init[i], how, turns - i))
			return false;
	if (turns)
		how->init = size_binop(
			MINUS_EXPR, fold_convert(ssizetype, how->init),
			size_binop(MULT_EXPR, fold_convert(ssizetype, how->step), ssize_int(turns)));
	return true;
}

bool den_flow_carried(class loop *loop, gphi *phi)
{
	innermost_loop_behavior how;
	gimple *load;

	return FLOAT_TYPE_P(TREE_TYPE(gimple_phi_result(phi))) &&
	       even_value(loop, gimple_phi_result(phi), &how, &load);
}

void den_flow_round(gimple_seq *seq, tree all, tree left)
{
	tree args[] = {NULL_TREE, NULL_TREE, NULL_TREE, all, left};

	den_flow_call(seq, PRS_DEN_FLOW_ROUND, args, NULL);
}

void den_flow_old(gimple_seq *seq, tree at, tree bytes, tree copy)
{
	tree args[] = {NULL_TREE, gimple_convert(seq, pointer_sized_int_node, at), NULL_TREE,
		       gimple_convert(seq, uint64_type_node, bytes),
		       gimple_convert(seq, uint64_type_node, copy)};

	den_flow_call(seq, PRS_DEN_FLOW_OLD, args, NULL);
}

void den_flow_begin(class loop *loop, struct den_call *call)
{
	gimple_stmt_iterator gsi = gsi_start_bb(loop_preheader_edge(loop)->src);

	while (!gsi_end_p(gsi)) {
		gimple *stmt = gsi_stmt(gsi);
		unsigned HOST_WIDE_INT what =
			asm_den_is_flow(stmt) ? tree_to_uhwi(gimple_call_arg(stmt, 0)) : 0;
		tree count, more;

		if (what != PRS_DEN_FLOW_ROUND && what != PRS_DEN_FLOW_OLD) {
			gsi_next(&gsi);
			continue;
		}
		count = gimple_call_arg(stmt, 4);
		more = gimple_call_arg(stmt, 5);
		if (what == PRS_DEN_FLOW_ROUND && call)
			den_call_part(call, PRS_DEN_TOLD_ROUND, NULL, more, count, NULL_TREE);
		else if (call)
			den_call_part(call, PRS_DEN_TOLD_OLD, NULL, gimple_call_arg(stmt, 2), count, more);
		gsi_remove(&gsi, true);
	}
}

static bool good_operation(struct den_visit *, const struct den_mark *m, unsigned)
{
	return !m->value || den_lanes(TREE_TYPE(m->value)) == 1;
}

/* Does @loop store nothing to what the values of @how come from? */
static bool unchanged(class loop *loop, const innermost_loop_behavior *how)
{
	basic_block *body = get_loop_body(loop);
	bool good = true;
	ao_ref ref;

	ao_ref_init_from_ptr_and_size(&ref, how->base_address, NULL_TREE);
	for (unsigned i = 0; i < loop->num_nodes; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); good && !gsi_end_p(gsi);
		     gsi_next(&gsi))
			good = !gimple_vdef(gsi_stmt(gsi)) || !stmt_may_clobber_ref_p_1(gsi_stmt(gsi), &ref);
	free(body);
	return good;
}

static bool good_leaf(struct den_visit *v, tree value, const struct den_mark *m, unsigned)
{
	class loop *loop = (class loop *)v->more;
	innermost_loop_behavior how;
	gimple *load;

	if (!inside(loop, value))
		return den_lanes(TREE_TYPE(value)) == 1;
	if (gimple_code(SSA_NAME_DEF_STMT(value)) == GIMPLE_PHI)
		return even_value(loop, value, &how, &load) && unchanged(loop, &how);
	return m && den_flow_is_load(value) && !den_flow_overwritten(SSA_NAME_DEF_STMT(value), v->store) &&
	       even_access(loop, SSA_NAME_DEF_STMT(value), &how);
}

static bool even_store(struct den_flow *f, class loop *loop, const struct den_mark *m)
{
	gimple *store = m->value ? den_flow_store_of(m) : NULL;
	innermost_loop_behavior how;
	hash_set<tree> seen;
	struct den_visit v = {good_operation, good_leaf, m->stmt, store, &seen, PARTS, f, loop, loop, false};
	edge exit = single_exit(loop);
	basic_block bb = gimple_bb(m->stmt);

	if (!store || den_lanes(TREE_TYPE(m->value)) != 1 || m->site->type == PRS_DEN_FLOAT16)
		return false;
	if (!dominated_by_p(CDI_DOMINATORS, loop->latch, bb) ||
	    (!dominated_by_p(CDI_DOMINATORS, exit->src, bb) &&
	     !dominated_by_p(CDI_DOMINATORS, bb, exit->src)))
		return false;
	f->stores.put(m->stmt, store);
	return even_access(loop, store, &how) && den_flow_visit(&v, m->value, 0);
}

bool den_flow_even(struct den_flow *f, class loop *loop, const vec<den_mark> *marks)
{
	tree n = number_of_latch_executions(loop);
	bool any = false;

	if (!single_exit(loop) || !n || chrec_contains_undetermined(n) || !loop->latch)
		return false;
	for (unsigned i = 0; i < marks->length(); i++) {
		if ((*marks)[i].site->kind != PRS_DEN_STORE)
			continue;
		if (!even_store(f, loop, &(*marks)[i]))
			return false;
		any = true;
	}
	return any;
}

static tree forced(gimple_seq *seq, tree value)
{
	gimple_seq own = NULL;

	value = force_gimple_operand(unshare_expr(value), &own, true, NULL_TREE);
	gimple_seq_add_seq_without_update(seq, own);
	return value;
}

/* Where @how begins, and how it goes on. */
static void address_and_step(gimple_seq *seq, const innermost_loop_behavior *how, tree *address, tree *step)
{
	tree base = get_base_address(TREE_CODE(how->base_address) == ADDR_EXPR
					     ? TREE_OPERAND(how->base_address, 0)
					     : how->base_address);
	tree from;

	if (base && DECL_P(base))
		mark_addressable(base);
	from = fold_build_pointer_plus(how->base_address,
				       fold_convert(sizetype, size_binop(PLUS_EXPR, how->offset, how->init)));
	*address = gimple_convert(seq, pointer_sized_int_node, forced(seq, from));
	*step = gimple_convert(seq, long_integer_type_node, forced(seq, how->step));
}

static bool operation_behind(struct den_visit *v, const struct den_mark *m, unsigned)
{
	struct behind *b = (struct behind *)v->more;
	tree count = b->born(b->more, m->site);

	if (count)
		den_call_part(b->call, PRS_DEN_TOLD_BIRTH, m->site, NULL_TREE, count, NULL_TREE);
	return true;
}

static bool leaf_behind(struct den_visit *v, tree value, const struct den_mark *m, unsigned)
{
	struct behind *b = (struct behind *)v->more;
	struct den_site *site = m ? m->site : NULL;
	struct den_leaf same;

	if (inside(b->loop, value)) {
		innermost_loop_behavior how;
		tree address, step;
		struct den_mark of;
		gimple *load;

		even_value(b->loop, value, &how, &load);
		if (!m && den_flow_mark_of(gimple_assign_lhs(load), NULL, &of))
			site = of.site;
		if (!site)
			return true;
		address_and_step(b->seq, &how, &address, &step);
		den_call_part(b->call, PRS_DEN_TOLD_LOAD, site, address, NULL_TREE, step);
		return true;
	}
	den_flow_same(b->flow, b->seq, v, value, &same);
	if (same.tag)
		den_call_tag(b->call, same.address ? site : NULL, same.tag, same.is, same.address);
	else
		den_call_part(b->call, PRS_DEN_TOLD_LOAD, site, same.address, same.is, NULL_TREE);
	return true;
}

void den_flow_behind(struct den_flow *f, struct den_call *call, gimple_seq *seq, class loop *loop,
		     const struct den_mark *m, tree (*born)(void *more, const struct den_site *site),
		     void *more)
{
	struct behind b = {f, call, seq, loop, born, more};
	gimple *store = *f->stores.get(m->stmt);
	hash_set<tree> seen;
	struct den_visit v = {
		operation_behind, leaf_behind, m->stmt, store, &seen, PARTS, f, loop, &b, false};
	bool early = dominated_by_p(CDI_DOMINATORS, single_exit(loop)->src, gimple_bb(m->stmt));
	tree turns = number_of_latch_executions(loop), address, step;
	innermost_loop_behavior how;

	den_flow_visit(&v, m->value, 0);
	even_access(loop, store, &how);
	address_and_step(seq, &how, &address, &step);
	turns = fold_convert(uint64_type_node, turns);
	if (early)
		turns = fold_build2(PLUS_EXPR, uint64_type_node, turns, build_one_cst(uint64_type_node));
	turns = forced(seq, turns);
	/* The birth of a constant is where it is stored. */
	if (CONSTANT_CLASS_P(m->value))
		den_call_part(call, PRS_DEN_TOLD_BIRTH, m->site, NULL_TREE, turns, NULL_TREE);
	den_call_part(call, PRS_DEN_TOLD_STORE, m->site, address, turns, step);
}
