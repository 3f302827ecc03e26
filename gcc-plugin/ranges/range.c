/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/choice/dump.h"
#include "gcc-plugin/sites/mem-site.h"
#include "gcc-plugin/ranges/range.h"

#define GAP_MAX  ((1 << PRS_LINE_SHIFT) - 1)
#define JOIN_MAX 200 /* ranges compared with each other: their number enters squared */

/*
 * @b, @delta bytes further on, becomes a part of @a.  The same bytes again are no access of
 * their own, as for probes in the loop (passes/avail.c): the line moves once.
 */
static void swallow(struct ranged *a, struct ranged *b, HOST_WIDE_INT delta)
{
	HOST_WIDE_INT from = MIN(0, delta), to = MAX(a->wide, delta + b->wide);

	a->each = delta || a->wide != b->wide ? a->each + b->each : MAX(a->each, b->each);
	a->gaps |= b->gaps || delta > a->wide || delta + b->wide < 0;
	a->span.constant += from;
	a->wide = to - from;
	a->span.need = MAX(a->span.need, b->span.need);
	a->members += b->members;
	b->members = 0;
}

static HOST_WIDE_INT block_bytes(const struct ranged *r)
{
	return signed_value(r->span.reach) + r->wide;
}

bool range_is_block(const struct ranged *r)
{
	const struct span *s = &r->span;

	return !s->rows && !s->none && !s->n_conds && s->count && TREE_CODE(s->reach) == INTEGER_CST &&
	       !integer_zerop(s->reach) && block_bytes(r) <= 1 << PRS_LINE_SHIFT && s->need <= r->wide;
}

/* Of one kind and with no whole line between them; for blocks, no byte. */
static void join_near(struct ranged *a, struct ranged *b)
{
	HOST_WIDE_INT delta;

	if (a->acc.kind != b->acc.kind || !span_distance(&a->span, &b->span, &delta))
		return;
	if (a->block &&
	    (delta > a->wide || delta + b->wide < 0 ||
	     block_bytes(a) + MAX(b->wide + delta - a->wide, 0) - MIN(delta, 0) > 1 << PRS_LINE_SHIFT))
		return;
	if (delta <= a->wide + GAP_MAX && delta + b->wide >= -GAP_MAX)
		swallow(a, b, delta);
}

/*
 * A read and a write become one only if they touch the same bytes: the first
 * and last bytes of what a thread writes are where it meets its neighbours.
 */
static void join_same(struct ranged *a, struct ranged *b)
{
	HOST_WIDE_INT delta;

	if (a->acc.kind == b->acc.kind || a->wide != b->wide || !span_distance(&a->span, &b->span, &delta) ||
	    delta)
		return;
	if (b->acc.kind != PRS_KIND_LOAD)
		a->stmt = b->stmt;
	a->acc.kind = PRS_KIND_RMW;
	swallow(a, b, 0);
}

/*
 * Rows i - 1, i and i + 1 of one array: what the first has beyond the second is its
 * first row.
 */
static void join_rows(struct ranged *a, struct ranged *b)
{
	HOST_WIDE_INT delta;
	int rows;

	if (a->acc.kind != b->acc.kind || a->keep || b->keep ||
	    !span_rows_apart(&a->span, &b->span, &rows, &delta))
		return;
	if (delta < 0 || delta + b->wide > a->wide) {
		struct ranged *c = a;

		if (delta > 0 || a->wide - delta > b->wide)
			return;
		a = b;
		b = c;
		rows = -rows;
	}
	a->members += b->members;
	a->each += b->each;
	a->gaps |= b->gaps;
	b->keep = -rows;
}

static void join_all(vec<ranged> *list, void (*join)(struct ranged *, struct ranged *))
{
	for (unsigned i = 0; i < list->length(); i++) {
		struct ranged *a = &(*list)[i];

		for (unsigned j = i + 1; a->members && j < MIN(list->length(), i + JOIN_MAX); j++) {
			struct ranged *b = &(*list)[j];

			if (b->members && a->block == b->block && span_alike(&a->span, &b->span))
				join(a, b);
		}
	}
}

void range_join(vec<ranged> *list)
{
	join_all(list, join_near);
	join_all(list, join_same);
	join_all(list, join_rows);
}

/* ---- inserting ---- */

/* What the program never computes must not overflow either. */
static gimple_seq defined(gimple_seq seq)
{
	gimple_stmt_iterator gsi = gsi_start(seq);
	gimple_seq out = NULL;

	while (!gsi_end_p(gsi)) {
		gimple *stmt = gsi_stmt(gsi);
		tree lhs = gimple_get_lhs(stmt);

		gsi_remove(&gsi, false);
		if (is_gimple_assign(stmt) && INTEGRAL_TYPE_P(TREE_TYPE(lhs)) &&
		    TYPE_OVERFLOW_UNDEFINED(TREE_TYPE(lhs)) &&
		    arith_code_with_undefined_signed_overflow(gimple_assign_rhs_code(stmt)))
			gimple_seq_add_seq_without_update(&out, GCC_WRAPPING(stmt));
		else
			gimple_seq_add_stmt_without_update(&out, stmt);
	}
	return out;
}

/* @expr as an operand, computed at the end of @bb. */
static tree compute(basic_block bb, tree expr)
{
	gimple_seq seq = NULL;
	tree value = force_gimple_operand(unshare_expr(expr), &seq, true, NULL_TREE);
	gimple_stmt_iterator gsi = gsi_last_bb(bb);

	gsi_insert_seq_after(&gsi, defined(seq), GSI_NEW_STMT);
	return value;
}

/* A block that runs if @value, computed at the end of @bb, is not zero; @bb's successor is run in any case. */
static basic_block block_if(basic_block bb, tree value, profile_probability often)
{
	gcond *cond =
		gimple_build_cond(NE_EXPR, value, build_zero_cst(TREE_TYPE(value)), NULL_TREE, NULL_TREE);

	return insert_cond_bb(bb, GCC_LAST_STMT(bb), cond, often);
}

/* NULL_TREE if the accesses are made for certain. */
static tree whether_any(const struct span *s)
{
	tree all = s->none && s->count ? fold_build2(NE_EXPR, boolean_type_node, s->count, size_zero_node)
				       : NULL_TREE;

	if (s->none && s->rows)
		all = fold_build2(TRUTH_AND_EXPR, boolean_type_node, all,
				  fold_build2(NE_EXPR, boolean_type_node, s->rows, size_zero_node));
	for (unsigned i = 0; i < s->n_conds; i++)
		all = all ? fold_build2(TRUTH_AND_EXPR, boolean_type_node, all, s->conds[i]) : s->conds[i];
	return all;
}

static tree first_byte(const struct ranged *r)
{
	const struct span *s = &r->span;
	tree at = fold_build2(PLUS_EXPR, sizetype, fold_convert(sizetype, s->base), s->offset);

	at = fold_build2(PLUS_EXPR, sizetype, at,
			 fold_build2(PLUS_EXPR, sizetype, s->low, size_int(s->constant)));
	return at;
}

static tree accesses(const struct ranged *r)
{
	if (!r->span.count)
		return size_zero_node;
	return fold_build2(MULT_EXPR, sizetype, r->span.count, size_int(r->each));
}

/* The rows of @r that are kept: how many, and *@skip: how many are left out in front. */
static tree kept_rows(const struct ranged *r, tree *skip)
{
	tree rows = r->span.rows, keep;

	*skip = size_zero_node;
	if (!r->keep)
		return rows;
	keep = fold_build2(MIN_EXPR, sizetype, rows, size_int(abs(r->keep)));
	if (r->keep < 0)
		*skip = fold_build2(MINUS_EXPR, sizetype, rows, keep);
	return keep;
}

/* What a range is told: its bytes are all accessed, or some in between are not. */
static unsigned access_of(const struct ranged *r)
{
	unsigned access = PRS_ACCESS(r->acc.kind, r->acc.bytes);

	if (!r->gaps && r->wide >= r->span.need)
		access |= PRS_RANGE_DENSE;
	return access;
}

static gimple *build_block(const struct ranged *r, unsigned site, basic_block bb)
{
	HOST_WIDE_INT bytes = block_bytes(r);
	unsigned align = get_object_alignment(r->acc.ref) / BITS_PER_UNIT;

	return asm_block(site, compute(bb, first_byte(r)), PRS_ACCESS(r->acc.kind, bytes), bytes > align);
}

/* The statement for @r, its operands computed at the end of @bb. */
static gimple *build_probe(const struct ranged *r, unsigned site, basic_block bb)
{
	const struct span *s = &r->span;
	tree first = first_byte(r), bytes, count, rows, skip;

	bytes = compute(bb, fold_build2(PLUS_EXPR, sizetype, s->reach, size_int(r->wide)));
	count = compute(bb, accesses(r));
	if (!s->rows)
		return asm_range(site, compute(bb, first), bytes, count, access_of(r));
	rows = kept_rows(r, &skip);
	skip = fold_build2(MULT_EXPR, sizetype, skip, fold_convert(sizetype, s->row_step));
	first = compute(bb, fold_build2(PLUS_EXPR, sizetype, first, skip));
	return asm_rows(site, first, bytes, count, compute(bb, fold_convert(sizetype, s->row_step)),
			compute(bb, rows), access_of(r));
}

/* The probe of @r at the end of @bb; the block to go on with. */
static basic_block emit_one(function *fun, const struct ranged *r, basic_block bb)
{
	tree any = whether_any(&r->span);
	basic_block next = bb;
	gimple_stmt_iterator gsi;
	unsigned site;
	gimple *probe;

	if (!mem_site(&r->acc, r->stmt, fun, &site))
		return bb;
	if (any) {
		bb = block_if(bb, compute(bb, any), profile_probability::likely());
		next = single_succ(bb);
	}
	probe = r->block ? build_block(r, site, bb) : build_probe(r, site, bb);
	gimple_set_location(probe, gimple_location(r->stmt));
	dump_note(fun, r->stmt, "%c %s of %u at depth %u", PRS_KIND_LETTERS[r->acc.kind],
		  r->block       ? "block"
		  : r->span.rows ? "rows"
				 : "range",
		  r->members, loop_depth(r->span.loop));
	gsi = gsi_last_bb(bb);
	mem_insert(&gsi, probe, r->acc.ref, true);
	return next;
}

/* All ranges in front of @loop, behind one test. */
static void emit_loop(function *fun, class loop *loop, vec<ranged> *list)
{
	basic_block bb = loop_preheader_edge(loop)->src;
	gimple_stmt_iterator gsi = gsi_last_bb(bb);
	tree on;

	gsi_insert_after(&gsi, asm_ranges_on(&on), GSI_NEW_STMT);
	bb = block_if(bb, on, profile_probability::very_unlikely());
	for (unsigned i = 0; i < list->length(); i++)
		if ((*list)[i].members && !(*list)[i].block && (*list)[i].span.loop == loop)
			bb = emit_one(fun, &(*list)[i], bb);
}

void range_emit(function *fun, vec<ranged> *list)
{
	auto_bitmap done;

	for (unsigned i = 0; i < list->length(); i++) {
		struct ranged *r = &(*list)[i];

		if (r->members && r->block)
			emit_one(fun, r, loop_preheader_edge(r->span.loop)->src);
		else if (r->members && bitmap_set_bit(done, r->span.loop->num))
			emit_loop(fun, r->span.loop, list);
	}
}
