/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * With x the bits without the sign, shifted left by one, a value is denormal if
 * x - 1 < 2^(mantissa bits + 1) - 1, unsigned: 0 wraps round, and the smallest
 * normal number has a 0 mantissa.  Vector units compare signed numbers, so there
 * both sides are moved by half the range.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/denormal/fuse.h"
#include "gcc-plugin/denormal/kinds.h"
#include "gcc-plugin/denormal/test.h"

unsigned den_lanes(tree type)
{
	if (TREE_CODE(type) == COMPLEX_TYPE)
		return 2;
	if (!VECTOR_TYPE_P(type))
		return 1;
	return TYPE_VECTOR_SUBPARTS(type).is_constant() &&
			       TYPE_VECTOR_SUBPARTS(type).to_constant() <= DEN_LANES
		       ? (unsigned)TYPE_VECTOR_SUBPARTS(type).to_constant()
		       : 0;
}

static tree element(tree type)
{
	return VECTOR_TYPE_P(type) || TREE_CODE(type) == COMPLEX_TYPE ? TREE_TYPE(type) : type;
}

/* A normal number is at least 2^(emin - 1). */
static bool real_denormal(const_tree value)
{
	const struct real_format *format = REAL_MODE_FORMAT(TYPE_MODE(TREE_TYPE(value)));
	const REAL_VALUE_TYPE *r = TREE_REAL_CST_PTR(value);

	return r->cl == rvc_normal && REAL_EXP(r) < format->emin;
}

bool den_constant(tree value)
{
	unsigned type;

	if (!den_type(TREE_TYPE(value), &type))
		return false;
	if (TREE_CODE(value) == REAL_CST)
		return real_denormal(value);
	if (TREE_CODE(value) == COMPLEX_CST)
		return den_constant(TREE_REALPART(value)) || den_constant(TREE_IMAGPART(value));
	for (unsigned i = 0; TREE_CODE(value) == VECTOR_CST && i < den_lanes(TREE_TYPE(value)); i++)
		if (den_constant(vector_cst_elt(value, i)))
			return true;
	return false;
}

tree den_mask_type(tree type)
{
	unsigned kind = PRS_DEN_DOUBLE;

	den_type(type, &kind);
	return kind <= PRS_DEN_FLOAT ? uint32_type_node : uint64_type_node;
}

tree den_lane(gimple_seq *seq, tree value, unsigned lane)
{
	tree type = TREE_TYPE(value);

	if (TREE_CODE(type) == COMPLEX_TYPE)
		return gimple_build(seq, lane ? IMAGPART_EXPR : REALPART_EXPR, TREE_TYPE(type), value);
	if (VECTOR_TYPE_P(type))
		return gimple_build(seq, BIT_FIELD_REF, TREE_TYPE(type), value, TYPE_SIZE(TREE_TYPE(type)),
				    bitsize_int(lane * tree_to_uhwi(TYPE_SIZE(TREE_TYPE(type)))));
	return value;
}

/* @a < @b as all ones or 0 of the unsigned type @type. */
static tree below(gimple_seq *seq, tree a, tree b, tree type)
{
	tree is = gimple_build(seq, LT_EXPR, boolean_type_node, a, b);

	return gimple_build(seq, COND_EXPR, type, is, build_all_ones_cst(type), build_zero_cst(type));
}

tree den_apart(gimple_seq *seq, tree bits, tree type)
{
	tree same;

	if (TREE_CODE(bits) != SSA_NAME || !flag_tree_slp_vectorize || !den_fuse_type(type))
		return bits;
	gimple_seq_add_stmt_without_update(seq, asm_den_apart(bits, &same));
	return same;
}

/* x, without the sign, of a @value of at most 64 bits; @vector: as in den_test(). */
static tree twice(gimple_seq *seq, tree value, unsigned kind, bool vector)
{
	tree type = den_mask_type(TREE_TYPE(value)), bits;

	if (kind != PRS_DEN_FLOAT16) {
		bits = gimple_build(seq, VIEW_CONVERT_EXPR, type, value);
		bits = vector ? bits : den_apart(seq, bits, TREE_TYPE(value));
		return gimple_build(seq, LSHIFT_EXPR, type, bits, build_int_cst(integer_type_node, 1));
	}
	bits = gimple_build(seq, VIEW_CONVERT_EXPR, uint16_type_node, value);
	bits = gimple_build(seq, PLUS_EXPR, uint16_type_node, bits, bits);
	return gimple_build(seq, NOP_EXPR, type, bits);
}

static wide_int limit_of(unsigned kind)
{
	static const unsigned mantissa[] = {10, 23, 52};

	return wi::lshift(wi::one(kind == PRS_DEN_DOUBLE ? 64 : 32), mantissa[kind] + 1) - 1;
}

/*
 * Without a comparison.  With m the bits without the sign, m - 2^mantissa is
 * negative if the exponent is 0, and m - 1 if all is 0.
 */
static tree signs(gimple_seq *seq, tree value, unsigned kind)
{
	tree type = den_mask_type(TREE_TYPE(value)), bits, low, zero;
	unsigned width = TYPE_PRECISION(type);
	wide_int normal = wi::lshift(wi::one(width), kind == PRS_DEN_DOUBLE ? 52 : 23);

	bits = gimple_build(seq, VIEW_CONVERT_EXPR, type, value);
	bits = gimple_build(seq, BIT_AND_EXPR, type, bits,
			    wide_int_to_tree(type, wi::max_value(width, SIGNED)));
	low = gimple_build(seq, PLUS_EXPR, type, bits, wide_int_to_tree(type, wi::neg(normal)));
	zero = gimple_build(seq, PLUS_EXPR, type, bits, build_minus_one_cst(type));
	return gimple_build(seq, BIT_AND_EXPR, type, low, gimple_build(seq, BIT_NOT_EXPR, type, zero));
}

static tree test_signs(gimple_seq *seq, tree value, unsigned kind)
{
	tree low = signs(seq, value, kind), type = TREE_TYPE(low);
	unsigned width = TYPE_PRECISION(type);

	low = gimple_build(seq, RSHIFT_EXPR, type, low, build_int_cst(integer_type_node, (int)width - 1));
	return gimple_build(seq, NEGATE_EXPR, type, low);
}

static tree test_narrow(gimple_seq *seq, tree value, unsigned kind, bool vector)
{
	tree type = den_mask_type(TREE_TYPE(value)), is = signed_type_for(type), moved;
	unsigned width = TYPE_PRECISION(type);
	wide_int half = wi::set_bit_in_zero(width - 1, width), top = limit_of(kind);

	if (vector && kind != PRS_DEN_FLOAT16 && !asm_den_compares(width))
		return test_signs(seq, value, kind);
	moved = twice(seq, value, kind, vector);
	if (!vector) {
		moved = gimple_build(seq, PLUS_EXPR, type, moved, build_minus_one_cst(type));
		return below(seq, moved, wide_int_to_tree(type, top), type);
	}
	moved = gimple_build(seq, PLUS_EXPR, type, moved, wide_int_to_tree(type, half - 1));
	moved = gimple_build(seq, NOP_EXPR, is, moved);
	return below(seq, moved, fold_convert(is, wide_int_to_tree(type, top + half)), type);
}

/* x87's and quadruple precision: exponent 0, and any bit below it set. */
static tree test_wide(gimple_seq *seq, tree value, unsigned kind)
{
	tree all = build_nonstandard_integer_type(128, 1), word = uint64_type_node, low, high, rest, is;
	unsigned at = kind == PRS_DEN_FLOAT128 ? 48 : 0;
	tree bits = gimple_build(seq, VIEW_CONVERT_EXPR, all, value);

	low = gimple_build(seq, NOP_EXPR, word, bits);
	high = gimple_build(seq, NOP_EXPR, word,
			    gimple_build(seq, RSHIFT_EXPR, all, bits, build_int_cst(integer_type_node, 64)));
	rest = low;
	if (at)
		rest = gimple_build(seq, BIT_IOR_EXPR, word, low,
				    gimple_build(seq, BIT_AND_EXPR, word, high,
						 build_int_cst(word, (HOST_WIDE_INT_1 << at) - 1)));
	high = gimple_build(seq, BIT_AND_EXPR, word, high,
			    build_int_cst(word, HOST_WIDE_INT_C(0x7fff) << at));
	is = gimple_build(seq, BIT_AND_EXPR, boolean_type_node,
			  gimple_build(seq, EQ_EXPR, boolean_type_node, high, build_zero_cst(word)),
			  gimple_build(seq, NE_EXPR, boolean_type_node, rest, build_zero_cst(word)));
	return gimple_build(seq, COND_EXPR, word, is, build_all_ones_cst(word), build_zero_cst(word));
}

tree den_test(gimple_seq *seq, tree value, unsigned lane, bool vector)
{
	unsigned kind = PRS_DEN_DOUBLE;

	den_type(element(TREE_TYPE(value)), &kind);
	value = den_lane(seq, value, lane);
	return kind <= PRS_DEN_DOUBLE ? test_narrow(seq, value, kind, vector) : test_wide(seq, value, kind);
}

tree den_sign(gimple_seq *seq, tree value, bool vector)
{
	unsigned kind = PRS_DEN_DOUBLE;

	den_type(TREE_TYPE(value), &kind);
	if (vector && kind == PRS_DEN_DOUBLE && !asm_den_compares(64))
		return signs(seq, value, kind);
	return den_test(seq, value, 0, vector);
}

void den_any_add(struct den_any *any, gimple_seq *seq, tree value, unsigned lane)
{
	unsigned kind = PRS_DEN_DOUBLE;
	tree x, type;

	den_type(element(TREE_TYPE(value)), &kind);
	if (kind > PRS_DEN_DOUBLE) {
		x = den_test(seq, value, lane, false);
		any->wide = any->wide ? gimple_build(seq, BIT_IOR_EXPR, TREE_TYPE(x), any->wide, x) : x;
		return;
	}
	value = den_lane(seq, value, lane);
	type = den_mask_type(TREE_TYPE(value));
	x = gimple_build(seq, PLUS_EXPR, type, twice(seq, value, kind, false), build_minus_one_cst(type));
	any->least[kind] = any->least[kind] ? gimple_build(seq, MIN_EXPR, type, any->least[kind], x) : x;
}

tree den_any_end(struct den_any *any, gimple_seq *seq)
{
	tree all = NULL_TREE, is;

	if (any->wide)
		all = gimple_build(seq, NE_EXPR, boolean_type_node, any->wide,
				   build_zero_cst(TREE_TYPE(any->wide)));
	for (unsigned kind = 0; kind <= PRS_DEN_DOUBLE; kind++) {
		if (!any->least[kind])
			continue;
		is = gimple_build(seq, LT_EXPR, boolean_type_node, any->least[kind],
				  wide_int_to_tree(TREE_TYPE(any->least[kind]), limit_of(kind)));
		all = all ? gimple_build(seq, BIT_IOR_EXPR, boolean_type_node, all, is) : is;
	}
	return all;
}

tree den_widen(gimple_seq *seq, tree mask, tree type)
{
	tree from = TREE_TYPE(mask);

	if (TYPE_PRECISION(from) == TYPE_PRECISION(type))
		return mask;
	mask = gimple_build(seq, NOP_EXPR, signed_type_for(from), mask);
	mask = gimple_build(seq, NOP_EXPR, signed_type_for(type), mask);
	return gimple_build(seq, NOP_EXPR, type, mask);
}
