/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/data/local.h"
#include "gcc-plugin/data/libcall.h"

struct atomic_fn {
	enum built_in_function n; /* the _N code; _1 .. _16 follow it */
	unsigned kind;
};

/* A load or store by an atomic builtin moves a line like a plain one does. */
static const struct atomic_fn atomic_fns[] = {
	{BUILT_IN_ATOMIC_LOAD_N, PRS_KIND_LOAD},
	{BUILT_IN_ATOMIC_STORE_N, PRS_KIND_STORE},
	{BUILT_IN_SYNC_LOCK_RELEASE_N, PRS_KIND_STORE},
	{BUILT_IN_ATOMIC_EXCHANGE_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_COMPARE_EXCHANGE_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_ADD_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_SUB_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_AND_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_NAND_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_XOR_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_OR_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_FETCH_ADD_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_FETCH_SUB_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_FETCH_AND_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_FETCH_NAND_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_FETCH_XOR_N, PRS_KIND_ATOMIC},
	{BUILT_IN_ATOMIC_FETCH_OR_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_FETCH_AND_ADD_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_FETCH_AND_SUB_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_FETCH_AND_OR_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_FETCH_AND_AND_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_FETCH_AND_XOR_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_FETCH_AND_NAND_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_ADD_AND_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_SUB_AND_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_OR_AND_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_AND_AND_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_XOR_AND_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_NAND_AND_FETCH_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_BOOL_COMPARE_AND_SWAP_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_VAL_COMPARE_AND_SWAP_N, PRS_KIND_ATOMIC},
	{BUILT_IN_SYNC_LOCK_TEST_AND_SET_N, PRS_KIND_ATOMIC},
};

static unsigned bytes_of(tree type)
{
	tree size = type ? TYPE_SIZE_UNIT(type) : NULL_TREE;

	if (!size || !tree_fits_uhwi_p(size) || tree_to_uhwi(size) == 0)
		return 1;
	return tree_to_uhwi(size) > 0x7fffff ? 0x7fffff : (unsigned)tree_to_uhwi(size);
}

/* The object that @ptr was taken of, if it is one of @bytes; else NULL_TREE. */
static tree pointed_to(tree ptr, unsigned bytes)
{
	tree of = NULL_TREE;

	if (TREE_CODE(ptr) == SSA_NAME && gimple_assign_single_p(SSA_NAME_DEF_STMT(ptr)))
		ptr = gimple_assign_rhs1(SSA_NAME_DEF_STMT(ptr));
	if (TREE_CODE(ptr) == ADDR_EXPR)
		of = TREE_OPERAND(ptr, 0);
	return of && bytes_of(TREE_TYPE(of)) == bytes ? of : NULL_TREE;
}

static unsigned access_add(struct mem_access *out, unsigned n, const struct mem_access *a)
{
	if (n < ACCESS_MAX)
		out[n++] = *a;
	return n;
}

/* *ptr as an object of @bytes. */
static unsigned through(struct mem_access *out, unsigned n, tree ptr, unsigned kind, unsigned bytes,
			bool fixed)
{
	tree of = pointed_to(ptr, bytes), type = unsigned_char_type_node;
	struct mem_access a = {of, of, kind, bytes, fixed, NULL_TREE, false};

	if (bytes > 1)
		type = build_array_type_nelts(unsigned_char_type_node, bytes);
	/* An invariant address names the object; a pointer stays as it is. */
	if (!of || TREE_CODE(ptr) != ADDR_EXPR)
		a.ref = fold_build2(MEM_REF, type, unshare_expr(ptr), build_int_cst(ptr_type_node, 0));
	if (!of)
		a.says = a.ref;
	return access_add(out, n, &a);
}

static tree byte_array(HOST_WIDE_INT bytes)
{
	return build_array_type_nelts(unsigned_char_type_node, (unsigned HOST_WIDE_INT)bytes);
}

/* The same where the place of the struct hangs on a variable, `slot[i].used`: a part of the struct's bytes. */
static tree bytes_of_struct(tree ref)
{
	tree of = TREE_OPERAND(ref, 0), field = TREE_OPERAND(ref, 1), all;
	HOST_WIDE_INT at, from, to;

	if (TREE_OPERAND(ref, 2) || !tree_fits_shwi_p(DECL_FIELD_OFFSET(field)) ||
	    !tree_fits_uhwi_p(DECL_SIZE(field)) || !TYPE_SIZE_UNIT(TREE_TYPE(of)) ||
	    !tree_fits_uhwi_p(TYPE_SIZE_UNIT(TREE_TYPE(of))))
		return ref;
	at = int_bit_position(field);
	from = at / BITS_PER_UNIT;
	to = CEIL(at + (HOST_WIDE_INT)tree_to_uhwi(DECL_SIZE(field)), BITS_PER_UNIT);
	if (from < 0 || to > (HOST_WIDE_INT)tree_to_uhwi(TYPE_SIZE_UNIT(TREE_TYPE(of))))
		return ref;
	all = build1(VIEW_CONVERT_EXPR, byte_array(tree_to_uhwi(TYPE_SIZE_UNIT(TREE_TYPE(of)))),
		     unshare_expr(of));
	return build4(ARRAY_RANGE_REF, byte_array(to - from), all, build_int_cst(sizetype, from), NULL_TREE,
		      NULL_TREE);
}

/*
 * Bit-fields have no address, but bytes: those that hold the field, which are
 * written by reading them first.  @ref as it is if it is none.
 */
static tree whole_bytes(tree ref)
{
	poly_int64 size, at;
	machine_mode mode;
	int unsigned_p, reverse, vol;
	tree offset, base, type;
	HOST_WIDE_INT from, to;

	if (TREE_CODE(ref) != COMPONENT_REF || !DECL_BIT_FIELD_TYPE(TREE_OPERAND(ref, 1)))
		return ref;
	base = get_inner_reference(ref, &size, &at, &offset, &mode, &unsigned_p, &reverse, &vol);
	if (reverse || !size.is_constant() || !at.is_constant())
		return ref;
	if (offset)
		return bytes_of_struct(ref);
	from = ROUND_DOWN(at.to_constant(), BITS_PER_UNIT) / BITS_PER_UNIT;
	to = CEIL(at.to_constant() + size.to_constant(), BITS_PER_UNIT);
	type = byte_array(to - from);
	if (TREE_CODE(base) == MEM_REF)
		from += signed_value(TREE_OPERAND(base, 1));
	else if (!VAR_P(base) || DECL_HARD_REGISTER(base) || DECL_THREAD_LOCAL_P(base))
		return ref;
	return build2(MEM_REF, type,
		      TREE_CODE(base) == MEM_REF ? unshare_expr(TREE_OPERAND(base, 0))
						 : build1(ADDR_EXPR, ptr_type_node, base),
		      build_int_cst(ptr_type_node, from));
}

static unsigned reference(struct mem_access *out, unsigned n, tree ref, unsigned kind)
{
	if (!ref || !(DECL_P(ref) || handled_component_p(ref) || TREE_CODE(ref) == MEM_REF ||
		      TREE_CODE(ref) == TARGET_MEM_REF))
		return n;
	if (is_gimple_reg(ref) || is_gimple_min_invariant(ref))
		return n;
	tree bytes = whole_bytes(ref), of = NULL_TREE;
	struct mem_access a = {
		bytes, ref, kind, bytes_of(TREE_TYPE(bytes)), TREE_THIS_VOLATILE(ref) != 0, NULL_TREE, false};

	/* `*(volatile long *)&s.n` is an access to s.n. */
	if (TREE_CODE(ref) == MEM_REF && integer_zerop(TREE_OPERAND(ref, 1)))
		of = pointed_to(TREE_OPERAND(ref, 0), a.bytes);
	if (of && handled_component_p(of))
		a.says = of;
	return access_add(out, n, &a);
}

/*
 * A sequentially consistent store is an exchange, or a store and a fence; any
 * order that is not known when the call is expanded makes it one.
 */
static bool sequential(gcall *call, unsigned at)
{
	tree order = gimple_call_num_args(call) > at ? gimple_call_arg(call, at) : NULL_TREE;

	return !order || !tree_fits_uhwi_p(order) || is_mm_seq_cst(memmodel_from_int(tree_to_uhwi(order)));
}

static unsigned atomic_builtin(gcall *call, enum built_in_function code, struct mem_access *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(atomic_fns); i++) {
		int d = (int)code - (int)atomic_fns[i].n;

		if (d >= 1 && d <= 5 && gimple_call_num_args(call) >= 1) {
			unsigned bytes = 1u << (d - 1);
			unsigned n =
				through(out, 0, gimple_call_arg(call, 0), atomic_fns[i].kind, bytes, true);

			out[0].locked = atomic_fns[i].n == BUILT_IN_ATOMIC_STORE_N && sequential(call, 2);
			return n;
		}
	}
	if (code == BUILT_IN_ATOMIC_TEST_AND_SET)
		return through(out, 0, gimple_call_arg(call, 0), PRS_KIND_ATOMIC, 1, true);
	if (code == BUILT_IN_ATOMIC_CLEAR) {
		unsigned n = through(out, 0, gimple_call_arg(call, 0), PRS_KIND_STORE, 1, true);

		out[0].locked = sequential(call, 1);
		return n;
	}
	return 0;
}

/* Copies of constant size become plain instructions; larger ones are library code. */
static unsigned copy_builtin(gcall *call, enum built_in_function code, struct mem_access *out)
{
	bool fill = code == BUILT_IN_MEMSET;
	unsigned n = 0, bytes;

	if (!fill && code != BUILT_IN_MEMCPY && code != BUILT_IN_MEMMOVE)
		return 0;
	if (gimple_call_num_args(call) != 3 || !tree_fits_uhwi_p(gimple_call_arg(call, 2)) ||
	    !IN_RANGE(tree_to_uhwi(gimple_call_arg(call, 2)), 1, 256))
		return 0;
	bytes = (unsigned)tree_to_uhwi(gimple_call_arg(call, 2));
	if (!fill)
		n = through(out, n, gimple_call_arg(call, 1), PRS_KIND_LOAD, bytes, false);
	return through(out, n, gimple_call_arg(call, 0), PRS_KIND_STORE, bytes, false);
}

/* The folder turns some atomic builtins into internal functions. */
static unsigned internal_call(gcall *call, struct mem_access *out)
{
	tree ptr = gimple_call_num_args(call) ? gimple_call_arg(call, 0) : NULL_TREE;
	unsigned bytes, at = 0;

	switch (gimple_call_internal_fn(call)) {
	case IFN_ATOMIC_COMPARE_EXCHANGE:
		bytes = (unsigned)tree_to_uhwi(gimple_call_arg(call, 3)) & 255;
		return through(out, 0, ptr, PRS_KIND_ATOMIC, bytes, true);
	case IFN_ATOMIC_BIT_TEST_AND_SET:
	case IFN_ATOMIC_BIT_TEST_AND_COMPLEMENT:
	case IFN_ATOMIC_BIT_TEST_AND_RESET:
		CASE_IFN_ATOMIC_FETCH_CMP_0
		/* The address may come second, behind a comparison code; the operand follows it. */
		if (!POINTER_TYPE_P(TREE_TYPE(ptr)))
			ptr = gimple_call_arg(call, ++at);
		if (!POINTER_TYPE_P(TREE_TYPE(ptr)))
			return 0;
		bytes = bytes_of(TREE_TYPE(gimple_call_arg(call, at + 1)));
		return through(out, 0, ptr, PRS_KIND_ATOMIC, bytes, true);
	default:
		return 0;
	}
}

static unsigned of_call(gcall *call, struct mem_access *out)
{
	tree decl = gimple_call_fndecl(call);
	unsigned n = 0;

	if (gimple_call_internal_p(call))
		return internal_call(call, out);
	if (decl && fndecl_built_in_p(decl, BUILT_IN_NORMAL)) {
		n = atomic_builtin(call, DECL_FUNCTION_CODE(decl), out);
		if (!n)
			n = copy_builtin(call, DECL_FUNCTION_CODE(decl), out);
	}
	if (!n)
		n = libcall_accesses(call, out, n);
	for (unsigned i = 0; i < gimple_call_num_args(call); i++)
		n = reference(out, n, gimple_call_arg(call, i), PRS_KIND_LOAD);
	return reference(out, n, gimple_call_lhs(call), PRS_KIND_STORE);
}

unsigned access_collect(gimple *stmt, struct mem_access *out)
{
	unsigned n = 0;

	if (gcall *call = dyn_cast<gcall *>(stmt))
		return of_call(call, out);
	if (!gimple_assign_single_p(stmt) || gimple_clobber_p(stmt))
		return 0;
	n = reference(out, n, gimple_assign_rhs1(stmt), PRS_KIND_LOAD);
	return reference(out, n, gimple_assign_lhs(stmt), PRS_KIND_STORE);
}

/* Bit-fields, and accesses that do not start at a byte, have no address. */
static bool has_address(tree ref)
{
	for (; handled_component_p(ref); ref = TREE_OPERAND(ref, 0)) {
		if (TREE_CODE(ref) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(ref, 1)))
			return false;
		if (TREE_CODE(ref) == COMPONENT_REF && DECL_NONADDRESSABLE_P(TREE_OPERAND(ref, 1)) &&
		    DECL_BIT_FIELD_TYPE(TREE_OPERAND(ref, 1)))
			return false;
		if (TREE_CODE(ref) == BIT_FIELD_REF && (!multiple_p(bit_field_offset(ref), BITS_PER_UNIT) ||
							!multiple_p(bit_field_size(ref), BITS_PER_UNIT)))
			return false;
		if (TYPE_REVERSE_STORAGE_ORDER(TREE_TYPE(TREE_OPERAND(ref, 0))))
			return false;
	}
	return true;
}

static const char *skip_decl(tree base, const struct mem_access *a)
{
	struct pt_solution escaped;

	if (VAR_P(base) && DECL_HARD_REGISTER(base))
		return "hard-register";
	if (VAR_P(base) && DECL_THREAD_LOCAL_P(base))
		return !local_lent(base) ? "" : local_has_address(base) ? NULL : "thread-local";
	if (TREE_CODE(base) == CONST_DECL || (VAR_P(base) && TREE_READONLY(base) && a->kind == PRS_KIND_LOAD))
		return "";
	if (TREE_CODE(base) == RESULT_DECL && !DECL_BY_REFERENCE(base))
		return "";
	if (is_global_var(base))
		return NULL;
	if (!may_be_aliased(base))
		return "";
	memset(&escaped, 0, sizeof(escaped));
	escaped.escaped = 1;
	escaped.ipa_escaped = flag_ipa_pta != 0;
	return pt_solution_includes(&escaped, base) ? NULL : "";
}

const char *access_skip_reason(const struct mem_access *a)
{
	tree base = get_base_address(a->ref);

	if (!base)
		return "no-base";
	if (!has_address(a->ref))
		return "bit-field";
	if (!ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(a->ref))) ||
	    !ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(base))))
		return "address-space";
	if (CONSTANT_CLASS_P(base))
		return "";
	if (DECL_P(base))
		return skip_decl(base, a);
	if (TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == ADDR_EXPR) {
		tree decl = TREE_OPERAND(TREE_OPERAND(base, 0), 0);

		return DECL_P(decl) ? skip_decl(decl, a) : CONSTANT_CLASS_P(decl) ? "" : NULL;
	}
	if (TREE_CODE(base) == TARGET_MEM_REF && TMR_BASE(base) && TREE_CODE(TMR_BASE(base)) == ADDR_EXPR) {
		tree decl = TREE_OPERAND(TMR_BASE(base), 0);

		return DECL_P(decl) ? skip_decl(decl, a) : NULL;
	}
	if (TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == SSA_NAME)
		return optimize && !ptr_deref_may_alias_global_p(TREE_OPERAND(base, 0), true) ? "" : NULL;
	return TREE_CODE(base) == MEM_REF || TREE_CODE(base) == TARGET_MEM_REF ? NULL : "no-base";
}
