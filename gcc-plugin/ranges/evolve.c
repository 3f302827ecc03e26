/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An address is followed through the loops from the inside out:
 *
 *     for (i = 0; i < n; i++)             at i: step m * 8, reach m * 8 * n - 8
 *         for (j = 0; j < m; j++)         at j: step 8, reach m * 8 - 8
 *             a[i * m + j] = 0;           bytes 8
 *
 * Rows that leave whole lines out between them stay rows, and so do those of which
 * that is not known (n >= m above): a range never names a line that the loop does
 * not touch.  A matrix of which each thread works on some columns would else look
 * shared.  Rows can become longer, or more: blocks of rows that follow each other.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/ranges/evolve.h"
#include "gcc-plugin/ranges/trips.h"

#define GAP_MAX    ((1 << PRS_LINE_SHIFT) - 1) /* between two accesses that leave no line out */
#define ROWS_APART 2                           /* rows i - 2 to i + 2 of one array are known as such */

/* What one loop adds. */
struct level {
	tree base, offset, low, reach, count, rows, row_step;
	tree step; /* ssizetype */
	tree runs; /* sizetype, NULL_TREE: not known */
	HOST_WIDE_INT need;
	bool none, new_rows, more_rows;
	auto_vec<tree, CONDS_MAX> conds;
};

static tree size_plus(tree a, tree b)
{
	return fold_build2(PLUS_EXPR, sizetype, a, b);
}

bool span_start(struct span *s, tree ref, unsigned bytes, basic_block bb)
{
	poly_int64 size, at;
	machine_mode mode;
	int unsigned_p, reverse, vol;
	tree offset, base;

	memset(s, 0, sizeof(*s));
	base = get_inner_reference(ref, &size, &at, &offset, &mode, &unsigned_p, &reverse, &vol);
	if (!at.is_constant() || !multiple_p(at, BITS_PER_UNIT) || TREE_CODE(base) == TARGET_MEM_REF)
		return false;
	s->constant = at.to_constant() / BITS_PER_UNIT;
	if (TREE_CODE(base) == MEM_REF) {
		s->constant += signed_value(TREE_OPERAND(base, 1));
		base = TREE_OPERAND(base, 0);
	} else if (DECL_P(base)) {
		base = build_fold_addr_expr(base);
	} else {
		return false;
	}
	s->base = base;
	s->offset = offset ? fold_convert(sizetype, offset) : size_zero_node;
	s->bytes = bytes;
	s->at = bb;
	s->low = s->reach = size_zero_node;
	s->count = size_one_node;
	return true;
}

static bool evolution(class loop *loop, tree *expr, tree *step)
{
	affine_iv iv;

	if (!simple_iv(loop, loop, *expr, &iv, true))
		return false;
	if (tree_contains_chrecs(iv.base, NULL) || tree_contains_chrecs(iv.step, NULL) ||
	    generic_expr_could_trap_p(iv.base) || generic_expr_could_trap_p(iv.step))
		return false;
	*expr = iv.base;
	*step = fold_build2(PLUS_EXPR, ssizetype, *step, fold_convert(ssizetype, iv.step));
	return true;
}

/* *@value = @a - @b (ssizetype) if that is a constant. */
static bool constant_difference(tree a, tree b, HOST_WIDE_INT *value)
{
	hash_map<tree, name_expansion *> *cache = NULL;
	aff_tree x, y;
	bool good;

	tree_to_aff_combination_expand(a, ssizetype, &x, &cache);
	tree_to_aff_combination_expand(b, ssizetype, &y, &cache);
	aff_combination_scale(&y, -1);
	aff_combination_add(&x, &y);
	good = x.n == 0 && !x.rest && x.offset.is_constant() &&
	       wi::fits_shwi_p(wi::sext(x.offset.to_constant(), TYPE_PRECISION(ssizetype)));
	if (good)
		*value = wi::sext(x.offset.to_constant(), TYPE_PRECISION(ssizetype)).to_shwi();
	free_affine_expand_cache(&cache);
	return good;
}

/*
 * Rows of @reach + @bytes, @step apart: is each line between first and last
 * touched?  *@need: how many bytes it takes for each byte to be.
 */
static bool dense(tree step, tree reach, HOST_WIDE_INT bytes, HOST_WIDE_INT *need)
{
	HOST_WIDE_INT gap;

	if (TREE_CODE(step) == INTEGER_CST) {
		widest_int row = wi::abs(wi::to_widest(step));

		if (TREE_CODE(reach) == INTEGER_CST)
			row -= wi::to_widest(reach);
		if (wi::gts_p(row, bytes + GAP_MAX))
			return false;
		*need = MAX(*need, row.to_shwi());
		return true;
	}
	if (!constant_difference(step, fold_convert(ssizetype, reach), &gap) ||
	    !IN_RANGE(gap - bytes, -GAP_MAX, GAP_MAX))
		return false;
	*need = MAX(*need, gap);
	return true;
}

/* The way from the first iteration's place to the last one's, added to low and reach. */
static void stretch(struct level *l)
{
	tree runs, way;

	if (integer_zerop(l->step))
		return;
	runs = fold_build2(MINUS_EXPR, ssizetype, fold_convert(ssizetype, l->runs), ssize_int(1));
	way = fold_build2(MULT_EXPR, ssizetype, l->step, runs);
	if (TREE_CODE(l->step) != INTEGER_CST)
		l->low = size_plus(
			l->low, fold_convert(sizetype, fold_build2(MIN_EXPR, ssizetype, way, ssize_int(0))));
	else if (tree_int_cst_sgn(l->step) < 0)
		l->low = size_plus(l->low, fold_convert(sizetype, way));
	if (TREE_CODE(l->step) != INTEGER_CST)
		way = fold_build2(MAX_EXPR, ssizetype, way, fold_build1(NEGATE_EXPR, ssizetype, way));
	else if (tree_int_cst_sgn(l->step) < 0)
		way = fold_build1(NEGATE_EXPR, ssizetype, way);
	l->reach = size_plus(l->reach, fold_convert(sizetype, way));
}

/* Do the rows of each iteration begin where those of the one before end? */
static bool next_block(const struct level *l)
{
	tree all = fold_build2(MULT_EXPR, ssizetype, fold_convert(ssizetype, l->rows), l->row_step);
	HOST_WIDE_INT gap;

	return constant_difference(l->step, all, &gap) && !gap;
}

static const char *evolve_look(const struct span *s, class loop *loop, struct level *l)
{
	basic_block top = trips_reach(s->at, loop, &l->conds);

	if (!top)
		return "conditional";
	l->none = s->none;
	l->runs = trips_count(top, loop, &l->none);
	if (!l->runs && !trips_any(top, loop))
		return "trips";
	l->base = s->base;
	l->offset = s->offset;
	l->step = ssize_int(0);
	if (!evolution(loop, &l->base, &l->step) || !evolution(loop, &l->offset, &l->step))
		return "address";
	if (!l->runs && !integer_zerop(l->step))
		return "trips";
	l->low = trips_invariant(loop, s->low);
	l->reach = trips_invariant(loop, s->reach);
	l->count = trips_invariant(loop, s->count);
	l->rows = trips_invariant(loop, s->rows);
	l->row_step = trips_invariant(loop, s->row_step);
	if (!l->low || !l->reach || (s->count && !l->count) || (s->rows && !(l->rows && l->row_step)))
		return "shape";
	l->need = s->need;
	l->new_rows = !integer_zerop(l->step) && !dense(l->step, l->reach, s->bytes, &l->need);
	l->more_rows = l->new_rows && s->rows && next_block(l);
	return l->new_rows && s->rows && !l->more_rows ? "sparse" : NULL;
}

static bool move_out(class loop *loop, const struct span *s, struct level *l)
{
	for (unsigned i = 0; i < s->n_conds; i++) {
		tree cond = trips_invariant(loop, s->conds[i]);

		if (!cond)
			return false;
		l->conds.safe_push(cond);
	}
	return l->conds.length() <= CONDS_MAX;
}

static void evolve_take(struct span *s, const struct level *l)
{
	s->base = l->base;
	s->offset = l->offset;
	s->low = l->low;
	s->reach = l->reach;
	s->count = l->count;
	s->rows = l->rows;
	s->row_step = l->row_step;
	s->none = l->none;
	s->need = l->need;
	if (l->more_rows) {
		s->rows = fold_build2(MULT_EXPR, sizetype, l->rows, l->runs);
	} else if (l->new_rows) {
		s->rows = l->runs;
		s->row_step = l->step;
	} else {
		s->count =
			l->count && l->runs ? fold_build2(MULT_EXPR, sizetype, l->count, l->runs) : NULL_TREE;
	}
	s->n_conds = l->conds.length();
	for (unsigned i = 0; i < s->n_conds; i++)
		s->conds[i] = l->conds[i];
}

const char *span_climb(struct span *s)
{
	class loop *loop = s->loop ? loop_outer(s->loop) : s->at->loop_father;
	struct level l;
	const char *why = loop_outer(loop) ? evolve_look(s, loop, &l) : "top";

	if (!why && !move_out(loop, s, &l))
		why = "conditional";
	if (why)
		return why;
	if (!l.new_rows)
		stretch(&l);
	evolve_take(s, &l);
	s->loop = loop;
	s->at = loop_preheader_edge(loop)->src;
	return NULL;
}

static tree first_place(const struct span *s)
{
	return size_plus(fold_convert(sizetype, s->base), s->offset);
}

bool span_distance(const struct span *a, const struct span *b, HOST_WIDE_INT *delta)
{
	HOST_WIDE_INT d;

	if (!constant_difference(first_place(b), first_place(a), &d))
		return false;
	*delta = d + b->constant - a->constant;
	return true;
}

bool span_rows_apart(const struct span *a, const struct span *b, int *rows, HOST_WIDE_INT *delta)
{
	HOST_WIDE_INT d;

	for (int k = -ROWS_APART; a->rows && k <= ROWS_APART; k++) {
		tree way = fold_build2(MULT_EXPR, ssizetype, a->row_step, ssize_int(k));

		if (!k || !constant_difference(first_place(b),
					       size_plus(first_place(a), fold_convert(sizetype, way)), &d))
			continue;
		*rows = k;
		*delta = d + b->constant - a->constant;
		return true;
	}
	return false;
}

bool span_alike(const struct span *a, const struct span *b)
{
	if (a->loop != b->loop || a->none != b->none || a->n_conds != b->n_conds)
		return false;
	for (unsigned i = 0; i < a->n_conds; i++)
		if (!same_value(a->conds[i], b->conds[i]))
			return false;
	return same_value(a->low, b->low) && same_value(a->reach, b->reach) &&
	       same_value(a->count, b->count) && same_value(a->rows, b->rows) &&
	       same_value(a->row_step, b->row_step);
}

bool same_value(tree a, tree b)
{
	return a == b || (a && b && operand_equal_p(a, b, 0));
}
