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
	HOST_WIDE_INT bytes; /* so many of them surely in each turn */
	bool store;
	tree begin, end; /* as 64-bit numbers, when they are known */
};

static bool same_place(const struct range *a, const struct range *b)
{
	return operand_equal_p(a->base, b->base, 0) && operand_equal_p(a->offset, b->offset, 0) &&
	       operand_equal_p(a->step, b->step, 0);
}

static void widen(struct range *known, const struct range *r)
{
	if (r->low >= known->high || r->high <= known->low)
		known->bytes += r->bytes;
	else if (r->low < known->low || r->high > known->high)
		known->bytes = 0;
	known->low = MIN(known->low, r->low);
	known->high = MAX(known->high, r->high);
}

/* Those of one array are one; what is both loaded and stored there makes two that @meet. */
static bool add_range(vec<range> *all, const struct range *r, bool *meet)
{
	for (unsigned i = 0; i < all->length(); i++) {
		struct range *known = &(*all)[i];

		if (!same_place(known, r))
			continue;
		if (known->store == r->store) {
			widen(known, r);
			return true;
		}
		*meet = true;
	}
	all->safe_push(*r);
	return all->length() <= RANGES_MAX;
}

/* Is @bb part of all turns? */
static bool in_all_turns(class loop *loop, basic_block bb)
{
	return dominated_by_p(CDI_DOMINATORS, loop->latch, bb) &&
	       dominated_by_p(CDI_DOMINATORS, single_exit(loop)->src, bb);
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
	r->bytes = in_all_turns(loop, gimple_bb(stmt)) ? tree_to_shwi(size) : 0;
	return true;
}

/* May call @stmt run twice?  What writes errno writes the same again. */
static bool call_runs_twice(gimple *stmt)
{
	return gimple_call_flags(stmt) & ECF_CONST || den_writes_errno(stmt);
}

/* Statements that may run twice: computations, and accesses whose addresses are known in front of the loop. */
static bool twice_collect(class loop *loop, vec<range> *all, bool *meet)
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
				good = range_of(loop, as_a<gassign *>(stmt), &r) && add_range(all, &r, meet);
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

/* The address base + offset as a 64-bit number. */
static tree first_byte(const struct range *r, gimple_seq *seq)
{
	tree type = uint64_type_node, own[2] = {r->base, r->offset};

	for (int i = 0; i < 2; i++) {
		gimple_seq s = NULL;

		own[i] = force_gimple_operand(unshare_expr(fold_convert(type, own[i])), &s, true, NULL_TREE);
		gimple_seq_add_seq_without_update(seq, s);
	}
	return gimple_build(seq, PLUS_EXPR, type, own[0], own[1]);
}

/* Where @r begins and ends if the loop has @turns turns behind the first. */
static void place(struct range *r, tree turns, gimple_seq *seq)
{
	tree type = uint64_type_node, at, far;
	bool down = tree_int_cst_sgn(r->step) < 0;

	if (r->begin)
		return;
	at = first_byte(r, seq);
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

/* The condition under which all that is stored to is apart from what is loaded; *@apart NULL_TREE: none. */
static bool apart_if(class loop *loop, vec<range> *all, gimple_seq *seq, tree *apart)
{
	tree turns = NULL_TREE, is = NULL_TREE;
	unsigned checks = 0;

	for (unsigned i = 0; i < all->length(); i++)
		for (unsigned j = 0; j < all->length(); j++) {
			struct range *a = &(*all)[i], *b = &(*all)[j];
			tree both;

			if (!a->store || b->store || surely_apart(a, b))
				continue;
			if (!turns)
				turns = turns_of(loop, seq);
			if (!turns || checks++ == CHECKS_MAX)
				return false;
			place(a, turns, seq);
			place(b, turns, seq);
			both = apart_now(a, b, seq);
			is = is ? gimple_build(seq, BIT_AND_EXPR, boolean_type_node, is, both) : both;
		}
	if (!is)
		return true;
	is = gimple_build(seq, NOP_EXPR, uint32_type_node, is);
	*apart = gimple_build(seq, NEGATE_EXPR, uint32_type_node, is);
	return true;
}

/* What is written back must be what the loop itself writes, else another thread's would be lost. */
static bool put_back(const vec<range> *all, gimple_seq *seq, struct gate_undo *undo)
{
	for (unsigned i = 0; i < all->length(); i++) {
		const struct range *r = &(*all)[i];
		HOST_WIDE_INT step = tree_to_shwi(r->step), size = r->high - r->low;
		tree begin;

		if (!r->store)
			continue;
		if (r->bytes != size || (HOST_WIDE_INT)absu_hwi(step) != size)
			return false;
		if (variable_of(r))
			mark_addressable(variable_of(r));
		begin = first_byte(r, seq);
		begin = gimple_build(seq, PLUS_EXPR, uint64_type_node, begin,
				     build_int_cst(uint64_type_node, r->low));
		if (!undo_add(undo, begin, step))
			return false;
	}
	return undo->n > 0;
}

bool gate_runs_twice(class loop *loop, gimple_seq *seq, tree *apart, struct gate_undo *undo)
{
	auto_vec<range, RANGES_MAX> all;
	bool meet = false;

	*apart = NULL_TREE;
	return twice_collect(loop, &all, &meet) &&
	       (meet ? put_back(&all, seq, undo) : apart_if(loop, &all, seq, apart));
}
