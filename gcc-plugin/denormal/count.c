/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/denormal/call.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/denormal/count.h"
#include "gcc-plugin/denormal/test.h"

tree den_either(struct den_count *c, tree a, tree b)
{
	if (!a || !b)
		return a ? a : b;
	if (c->call)
		return den_call_either(c, a, b);
	return gimple_build(&c->seq, BIT_IOR_EXPR, TREE_TYPE(a), a, den_widen(&c->seq, b, TREE_TYPE(a)));
}

/* @a and not @b; NULL_TREE is never. */
static tree without(struct den_count *c, tree a, tree b)
{
	if (!b || !a)
		return a;
	if (c->call)
		return den_call_without(c, a, b);
	b = den_widen(&c->seq, b, TREE_TYPE(a));
	return gimple_build(&c->seq, BIT_AND_EXPR, TREE_TYPE(a), a,
			    gimple_build(&c->seq, BIT_NOT_EXPR, TREE_TYPE(a), b));
}

static unsigned lanes_of(const struct den_mark *m)
{
	for (unsigned i = 0; i <= DEN_OPERANDS; i++)
		if (den_mark_about(m, i))
			return den_lanes(TREE_TYPE(den_mark_about(m, i)));
	return 0;
}

/* The parts of complex numbers have to do with each other, the elements of vectors have not. */
static bool lane_by_lane(const struct den_mark *m, tree operand)
{
	return VECTOR_TYPE_P(TREE_TYPE(operand)) && den_lanes(TREE_TYPE(operand)) == lanes_of(m);
}

static tree operand_test(struct den_count *c, const struct den_mark *m, unsigned i, unsigned lane)
{
	tree value = m->operand[i], all = NULL_TREE;
	unsigned n;

	if (!value)
		return NULL_TREE;
	if (lane_by_lane(m, value))
		return c->test(c, value, lane);
	n = den_lanes(TREE_TYPE(value));
	for (unsigned l = 0; l < n; l++)
		all = den_either(c, all, c->test(c, value, l));
	return all;
}

static tree operands(struct den_count *c, const struct den_mark *m, unsigned lane)
{
	tree all = NULL_TREE;

	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		all = den_either(c, all, operand_test(c, m, i, lane));
	return all;
}

static uint64_t key_of(const struct den_mark *m, unsigned lane)
{
	return ((uint64_t)(uintptr_t)m->stmt << 6) + lane + 2;
}

/* Whether a leaf of @m, or a value between, is denormal; NULL_TREE: never. */
static tree leaves(struct den_count *c, const struct den_mark *m, unsigned lane, tree mine)
{
	tree *known = c->leaves->get(key_of(m, lane)), all = mine;

	if (known)
		return *known;
	c->leaves->put(key_of(m, lane), mine); /* values may go round in a circle of marks */
	for (unsigned i = 0; i < DEN_OPERANDS; i++) {
		struct den_mark b;
		unsigned first = lane, last = lane + 1;

		if (!den_mark_before(m, i, &b))
			continue;
		if (!lane_by_lane(m, m->operand[i])) {
			first = 0;
			last = lanes_of(&b);
		}
		for (unsigned l = first; l < last; l++)
			all = den_either(c, all, leaves(c, &b, l, operands(c, &b, l)));
	}
	c->leaves->put(key_of(m, lane), all);
	return all;
}

tree den_born(struct den_count *c, const struct den_mark *m, unsigned lane)
{
	if (!m->value || !den_has(m->site, PRS_DEN_BIRTH, 0))
		return NULL_TREE;
	return without(c, c->test(c, m->value, lane), leaves(c, m, lane, operands(c, m, lane)));
}

static void count_lane(struct den_count *c, const struct den_mark *m, unsigned lane)
{
	struct den_site *s = m->site;
	tree value = m->value ? c->test(c, m->value, lane) : NULL_TREE, any = operands(c, m, lane), mask;

	if (value && den_has(s, PRS_DEN_RESULT, 0))
		c->add(c, s, PRS_DEN_RESULT, 0, value);
	if (value && den_has(s, PRS_DEN_BIRTH, 0)) {
		mask = without(c, value, leaves(c, m, lane, any));
		c->add(c, s, PRS_DEN_BIRTH, 0, mask);
	}
	if (any && den_has(s, PRS_DEN_DEATH, 0)) {
		mask = value ? without(c, den_widen(&c->seq, any, TREE_TYPE(value)), value) : any;
		c->add(c, s, PRS_DEN_DEATH, 0, mask);
	}
}

/* Operands have their own lanes: those of a comparison or sum of vectors, or of one complex number. */
static void count_operand(struct den_count *c, const struct den_mark *m, unsigned i)
{
	unsigned n = m->operand[i] && den_has(m->site, PRS_DEN_OPERAND, i)
			     ? den_lanes(TREE_TYPE(m->operand[i]))
			     : 0;

	for (unsigned lane = 0; lane < n; lane++)
		c->add(c, m->site, PRS_DEN_OPERAND, i, c->test(c, m->operand[i], lane));
}

void den_count(struct den_count *c, const struct den_mark *m)
{
	unsigned n = lanes_of(m);

	for (unsigned lane = 0; lane < n; lane++)
		count_lane(c, m, lane);
	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		count_operand(c, m, i);
}

/* ---- the thread's table ---- */

tree den_table(gimple_seq *seq)
{
	tree table;

	gimple_seq_add_stmt_without_update(seq, asm_den_table(&table));
	return table;
}

void den_table_add(gimple_seq *seq, tree table, unsigned slot, tree count)
{
	tree place = build2(MEM_REF, uint64_type_node, table, build_int_cst(ptr_type_node, slot * 8));
	tree old = make_ssa_name(uint64_type_node), sum;

	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(old, place));
	sum = gimple_build(seq, PLUS_EXPR, uint64_type_node, old, count);
	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(unshare_expr(place), sum));
}

void den_table_array(gimple_seq *seq, const struct den_mark *m, tree address, tree count)
{
	if (!address)
		return;
	address = integer_onep(address) ? build_zero_cst(pointer_sized_int_node)
					: gimple_convert(seq, pointer_sized_int_node, address);
	gimple_seq_add_stmt_without_update(seq,
					   asm_den_array(den_site_address(m->site), address,
							 gimple_convert(seq, pointer_sized_int_node, count)));
}

basic_block den_seldom(basic_block bb, tree value)
{
	gcond *cond =
		gimple_build_cond(NE_EXPR, value, build_zero_cst(TREE_TYPE(value)), NULL_TREE, NULL_TREE);

	return insert_cond_bb(bb, GCC_LAST_STMT(bb), cond, profile_probability::very_unlikely());
}

static uint64_t key_of(tree value, unsigned lane)
{
	return ((uint64_t)(uintptr_t)value << 6) + lane + 2;
}

tree den_test_here(struct den_count *c, tree value, unsigned lane)
{
	tree *known = c->tests->get(key_of(value, lane)), mask;

	if (known)
		return *known;
	mask = den_test(&c->seq, value, lane, false);
	c->tests->put(key_of(value, lane), mask);
	return mask;
}
