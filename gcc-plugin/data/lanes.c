/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A loop over every second element is vectorised by loads that take in the
 * elements between, which permutations drop.  Those may be another thread's,
 * and are no access of the program.  So what a load stands for are the bytes
 * that arrive somewhere:
 *
 *     v_1 = MEM <vector(4) float> [p];
 *     v_2 = MEM <vector(4) float> [p + 16];
 *     even_3 = VEC_PERM_EXPR <v_1, v_2, { 0, 2, 4, 6 }>;
 *
 * needs bytes 0 to 3 and 8 to 11 of each.  What does not permute, extract or
 * compute element by element needs all.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/data/lanes.h"

#define DEPTH_MAX  8 /* statements from the load to where its bytes arrive */
#define VECTOR_MAX 64
#define ALL_BYTES  (~0ull)

static uint64_t needed_of(tree value, unsigned depth);

/* Bytes of a vector of constant size; 0: it is none that fits a mask. */
static unsigned vector_bytes(tree type, unsigned *element)
{
	tree size = TYPE_SIZE_UNIT(type);

	if (!VECTOR_TYPE_P(type) || VECTOR_BOOLEAN_TYPE_P(type) || !size || !tree_fits_uhwi_p(size) ||
	    tree_to_uhwi(size) > VECTOR_MAX)
		return 0;
	size = TYPE_SIZE_UNIT(TREE_TYPE(type));
	*element = size && tree_fits_uhwi_p(size) ? (unsigned)tree_to_uhwi(size) : 0;
	return *element ? (unsigned)tree_to_uhwi(TYPE_SIZE_UNIT(type)) : 0;
}

static uint64_t bytes_at(unsigned HOST_WIDE_INT from, unsigned HOST_WIDE_INT n)
{
	return from >= VECTOR_MAX ? 0 : (n >= VECTOR_MAX ? ALL_BYTES : (1ull << n) - 1) << from;
}

/* Through VEC_PERM_EXPR @stmt: of @value those that its result needs. */
static uint64_t through_permutation(gimple *stmt, tree value, unsigned depth)
{
	tree mask = gimple_assign_rhs3(stmt);
	uint64_t result = needed_of(gimple_assign_lhs(stmt), depth), needed = 0;
	unsigned element, bytes = vector_bytes(TREE_TYPE(value), &element), n;

	if (!bytes || TREE_CODE(mask) != VECTOR_CST)
		return ALL_BYTES;
	n = bytes / element;
	for (unsigned i = 0; i < n; i++) {
		unsigned from = (unsigned)tree_to_uhwi(vector_cst_elt(mask, i)) & (2 * n - 1);

		if (!(result & bytes_at(i * element, element)))
			continue;
		if (value == (from < n ? gimple_assign_rhs1(stmt) : gimple_assign_rhs2(stmt)))
			needed |= bytes_at(from % n * element, element);
	}
	return needed;
}

/* Through BIT_INSERT_EXPR @stmt, which puts another value in the place of an element of @value. */
static uint64_t through_insertion(gimple *stmt, tree value, unsigned depth)
{
	tree with = gimple_assign_rhs2(stmt), size = TYPE_SIZE_UNIT(TREE_TYPE(with));
	unsigned element;

	if (value == with || !vector_bytes(TREE_TYPE(value), &element) || !size || !tree_fits_uhwi_p(size))
		return ALL_BYTES;
	return needed_of(gimple_assign_lhs(stmt), depth) &
	       ~bytes_at(tree_to_uhwi(gimple_assign_rhs3(stmt)) / BITS_PER_UNIT, tree_to_uhwi(size));
}

/* Whatever computes element by element, the result as wide as the operand. */
static bool by_element(gimple *stmt, tree value)
{
	tree lhs = gimple_assign_lhs(stmt);
	unsigned in, out, bytes = vector_bytes(TREE_TYPE(value), &in);

	if (TREE_CODE(lhs) != SSA_NAME || !bytes || vector_bytes(TREE_TYPE(lhs), &out) != bytes || in != out)
		return false;
	switch (gimple_assign_rhs_code(stmt)) {
	case PLUS_EXPR:
	case MINUS_EXPR:
	case MULT_EXPR:
	case RDIV_EXPR:
	case MIN_EXPR:
	case MAX_EXPR:
	case NEGATE_EXPR:
	case ABS_EXPR:
	case BIT_AND_EXPR:
	case BIT_IOR_EXPR:
	case BIT_XOR_EXPR:
	case BIT_NOT_EXPR:
	case LSHIFT_EXPR:
	case RSHIFT_EXPR:
	case FLOAT_EXPR:
	case FIX_TRUNC_EXPR:
	case SSA_NAME:
	CASE_CONVERT:
		return true;
	default:
		return false;
	}
}

/* Bytes of @value that @stmt needs. */
static uint64_t needed_by(gimple *stmt, tree value, unsigned depth)
{
	tree rhs;

	if (is_gimple_call(stmt) && gimple_call_internal_p(stmt) &&
	    gimple_call_internal_fn(stmt) == IFN_FMA && gimple_call_lhs(stmt))
		return needed_of(gimple_call_lhs(stmt), depth);
	if (!is_gimple_assign(stmt))
		return ALL_BYTES;
	rhs = gimple_assign_rhs1(stmt);
	if (gimple_assign_rhs_code(stmt) == VEC_PERM_EXPR)
		return through_permutation(stmt, value, depth);
	if (gimple_assign_rhs_code(stmt) == BIT_INSERT_EXPR)
		return through_insertion(stmt, value, depth);
	if (gimple_assign_rhs_code(stmt) == BIT_FIELD_REF && TREE_OPERAND(rhs, 0) == value &&
	    tree_fits_uhwi_p(TREE_OPERAND(rhs, 1)) && tree_fits_uhwi_p(TREE_OPERAND(rhs, 2)))
		return bytes_at(tree_to_uhwi(TREE_OPERAND(rhs, 2)) / BITS_PER_UNIT,
				CEIL(tree_to_uhwi(TREE_OPERAND(rhs, 1)), BITS_PER_UNIT));
	if (gimple_assign_rhs_code(stmt) == VIEW_CONVERT_EXPR && TREE_OPERAND(rhs, 0) == value &&
	    TREE_CODE(gimple_assign_lhs(stmt)) == SSA_NAME)
		return needed_of(gimple_assign_lhs(stmt), depth);
	return by_element(stmt, value) ? needed_of(gimple_assign_lhs(stmt), depth) : ALL_BYTES;
}

/* Bytes of @value that all its uses need. */
static uint64_t needed_of(tree value, unsigned depth)
{
	imm_use_iterator i;
	use_operand_p use;
	uint64_t needed = 0;

	if (TREE_CODE(value) != SSA_NAME || depth > DEPTH_MAX)
		return ALL_BYTES;
	FOR_EACH_IMM_USE_FAST(use, i, value)
	{
		if (!is_gimple_debug(USE_STMT(use)))
			needed |= needed_by(USE_STMT(use), value, depth + 1);
		if (needed == ALL_BYTES)
			break;
	}
	return needed;
}

/* @bytes of @type, @at bytes into @ref. */
static tree element_of(tree ref, tree type, HOST_WIDE_INT at)
{
	type = build_aligned_type(type, MIN(TYPE_ALIGN(type), get_object_alignment(ref)));
	if (TREE_CODE(ref) == MEM_REF) {
		tree off = TREE_OPERAND(ref, 1);

		return build2(MEM_REF, type, unshare_expr(TREE_OPERAND(ref, 0)),
			      build_int_cst(TREE_TYPE(off), signed_value(off) + at));
	}
	ref = unshare_expr(ref);
	TREE_TYPE(ref) = type;
	TMR_OFFSET(ref) = build_int_cst(TREE_TYPE(TMR_OFFSET(ref)), signed_value(TMR_OFFSET(ref)) + at);
	return ref;
}

int lanes_used(gimple *stmt, const struct mem_access *a, struct mem_access *out)
{
	unsigned element, bytes = vector_bytes(TREE_TYPE(a->ref), &element);
	int n = 0;
	uint64_t needed;

	if (a->kind != PRS_KIND_LOAD || a->fixed || a->says != a->ref || !bytes || !is_gimple_assign(stmt) ||
	    (TREE_CODE(a->ref) != MEM_REF && TREE_CODE(a->ref) != TARGET_MEM_REF))
		return -1;
	needed = needed_of(gimple_assign_lhs(stmt), 0) & bytes_at(0, bytes);
	if (needed == bytes_at(0, bytes))
		return -1;
	for (unsigned at = 0; at < bytes; at += element) {
		if (!(needed & bytes_at(at, element)))
			continue;
		if (n == LANES_MAX)
			return -1;
		out[n] = *a;
		out[n].bytes = element;
		out[n].ref = out[n].says = element_of(a->ref, TREE_TYPE(TREE_TYPE(a->ref)), at);
		n++;
	}
	return n;
}
