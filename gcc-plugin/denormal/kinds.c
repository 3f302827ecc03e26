/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/denormal/kinds.h"

bool den_type(tree of, unsigned *type)
{
	const struct real_format *format;

	while (VECTOR_TYPE_P(of) || TREE_CODE(of) == COMPLEX_TYPE)
		of = TREE_TYPE(of);
	if (!SCALAR_FLOAT_TYPE_P(of) || DECIMAL_FLOAT_TYPE_P(of))
		return false;
	format = REAL_MODE_FORMAT(TYPE_MODE(of));
	if (format == &ieee_half_format)
		*type = PRS_DEN_FLOAT16;
	else if (format == &ieee_single_format)
		*type = PRS_DEN_FLOAT;
	else if (format == &ieee_double_format)
		*type = PRS_DEN_DOUBLE;
	else if (format->p == 64)
		*type = PRS_DEN_LONG_DOUBLE;
	else if (format == &ieee_quad_format)
		*type = PRS_DEN_FLOAT128;
	else
		return false;
	return true;
}

tree den_strip(tree value)
{
	while (value && TREE_CODE(value) == SSA_NAME && is_gimple_assign(SSA_NAME_DEF_STMT(value))) {
		gimple *def = SSA_NAME_DEF_STMT(value);
		enum tree_code code = gimple_assign_rhs_code(def);

		if (code != NEGATE_EXPR && code != ABS_EXPR && code != PAREN_EXPR && code != SSA_NAME)
			break;
		value = gimple_assign_rhs1(def);
	}
	return value;
}

static void add_operand(struct den_op *op, tree value)
{
	if (op->n < DEN_OPERANDS)
		op->operand[op->n++] = value;
}

static bool memory(gassign *stmt, struct den_op *op)
{
	if (!is_gimple_reg_type(TREE_TYPE(gimple_assign_lhs(stmt))))
		return false;
	if (gimple_store_p(stmt)) {
		op->kind = PRS_DEN_STORE;
		op->value = gimple_assign_rhs1(stmt);
		op->ref = gimple_assign_lhs(stmt);
		return TREE_CODE(op->value) == SSA_NAME || TREE_CODE(op->value) == REAL_CST;
	}
	op->kind = PRS_DEN_LOAD;
	op->value = gimple_assign_lhs(stmt);
	op->ref = gimple_assign_rhs1(stmt);
	return true;
}

/* Operations with a floating-point result. */
static bool computes(enum tree_code code, unsigned *kind)
{
	switch (code) {
	case PLUS_EXPR:
		*kind = PRS_DEN_ADD;
		return true;
	case MINUS_EXPR:
		*kind = PRS_DEN_SUB;
		return true;
	case MULT_EXPR:
		*kind = PRS_DEN_MUL;
		return true;
	case RDIV_EXPR:
		*kind = PRS_DEN_DIV;
		return true;
	case MIN_EXPR:
	case MAX_EXPR:
		*kind = PRS_DEN_OTHER;
		return true;
	CASE_CONVERT:
		*kind = PRS_DEN_CONVERT;
		return true;
	default:
		return false;
	}
}

static bool assignment(gassign *stmt, struct den_op *op)
{
	enum tree_code code = gimple_assign_rhs_code(stmt);
	tree lhs = gimple_assign_lhs(stmt), from = TREE_TYPE(gimple_assign_rhs1(stmt));
	unsigned type;

	if (gimple_assign_load_p(stmt) || gimple_store_p(stmt))
		return den_type(TREE_TYPE(lhs), &op->type) && memory(stmt, op);
	if (TREE_CODE_CLASS(code) == tcc_comparison) {
		op->kind = PRS_DEN_COMPARE;
	} else if (code == FIX_TRUNC_EXPR) {
		op->kind = PRS_DEN_CONVERT;
	} else {
		if (!computes(code, &op->kind) || !den_type(TREE_TYPE(lhs), &op->type))
			return false;
		op->value = lhs;
		if (op->kind == PRS_DEN_CONVERT && (!den_type(from, &type) || type == op->type))
			return false;
	}
	if (!op->value && !den_type(from, &op->type))
		return false;
	add_operand(op, gimple_assign_rhs1(stmt));
	if (gimple_num_ops(stmt) > 2)
		add_operand(op, gimple_assign_rhs2(stmt));
	return true;
}

/* Is @name a function of libm called @stem, of any type? */
static bool is_math(const char *name, const char *stem)
{
	size_t n = strlen(stem);

	if (strncmp(name, stem, n))
		return false;
	name += n;
	if (*name == 'f' && ISDIGIT(name[1]))
		return true;
	return !*name || (strchr("fl", *name) && !name[1]);
}

/* Of a call whose result is of floating point; false: it changes a sign at most, or is none that is counted. */
static bool call_kind(gcall *call, unsigned *kind)
{
	tree decl = gimple_call_fndecl(call);
	const char *name;

	*kind = PRS_DEN_CALL;
	if (gimple_call_internal_p(call, IFN_SQRT) || gimple_call_internal_p(call, IFN_FMA)) {
		*kind = gimple_call_internal_p(call, IFN_FMA) ? PRS_DEN_FMA : PRS_DEN_SQRT;
		return true;
	}
	if (!decl || !fndecl_built_in_p(decl, BUILT_IN_NORMAL))
		return false;
	name = IDENTIFIER_POINTER(DECL_NAME(decl));
	name += strncmp(name, "__builtin_", 10) ? 0 : 10;
	if (is_math(name, "sqrt"))
		*kind = PRS_DEN_SQRT;
	else if (is_math(name, "fma"))
		*kind = PRS_DEN_FMA;
	return !is_math(name, "fabs") && !is_math(name, "copysign");
}

static bool call(gcall *stmt, struct den_op *op)
{
	tree lhs = gimple_call_lhs(stmt);
	unsigned type;

	if (!lhs || TREE_CODE(lhs) != SSA_NAME || !den_type(TREE_TYPE(lhs), &op->type) ||
	    !call_kind(stmt, &op->kind))
		return false;
	op->value = lhs;
	op->callee = gimple_call_fndecl(stmt);
	for (unsigned i = 0; i < gimple_call_num_args(stmt); i++)
		if (den_type(TREE_TYPE(gimple_call_arg(stmt, i)), &type))
			add_operand(op, gimple_call_arg(stmt, i));
	return true;
}

bool den_operation(gimple *stmt, struct den_op *op)
{
	memset(op, 0, sizeof(*op));
	if (gassign *a = dyn_cast<gassign *>(stmt))
		return !gimple_clobber_p(stmt) && assignment(a, op);
	if (gcall *c = dyn_cast<gcall *>(stmt))
		return call(c, op);
	if (gcond *c = dyn_cast<gcond *>(stmt)) {
		if (!den_type(TREE_TYPE(gimple_cond_lhs(c)), &op->type))
			return false;
		op->kind = PRS_DEN_COMPARE;
		add_operand(op, gimple_cond_lhs(c));
		add_operand(op, gimple_cond_rhs(c));
		return true;
	}
	return false;
}

static bool passes_on(gimple *stmt)
{
	if (!is_gimple_assign(stmt) || TREE_CODE(gimple_assign_lhs(stmt)) != SSA_NAME)
		return false;
	switch (gimple_assign_rhs_code(stmt)) {
	case NEGATE_EXPR:
	case ABS_EXPR:
	case PAREN_EXPR:
	case SSA_NAME:
	case REALPART_EXPR:
	case IMAGPART_EXPR:
	case COMPLEX_EXPR:
		return true;
	default:
		return false;
	}
}

bool den_leaves(tree value)
{
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	{
		gimple *stmt = USE_STMT(use);
		struct den_op op;

		if (is_gimple_debug(stmt))
			continue;
		if (passes_on(stmt) ? den_leaves(gimple_assign_lhs(stmt))
				    : !den_operation(stmt, &op) || !op.value || op.ref)
			return true;
	}
	return false;
}

bool den_writes_errno(gimple *stmt)
{
	if (!gimple_call_builtin_p(stmt, BUILT_IN_NORMAL))
		return false;
	switch (DECL_FUNCTION_CODE(gimple_call_fndecl(stmt))) {
		CASE_FLT_FN(BUILT_IN_ACOS)
		    : CASE_FLT_FN(BUILT_IN_ACOSH)
		    : CASE_FLT_FN(BUILT_IN_ASIN)
		    : CASE_FLT_FN(BUILT_IN_ATANH)
		    : CASE_FLT_FN(BUILT_IN_COSH)
		    : CASE_FLT_FN(BUILT_IN_SINH)
		    : CASE_FLT_FN(BUILT_IN_EXP)
		    : CASE_FLT_FN(BUILT_IN_EXP2)
		    : CASE_FLT_FN(BUILT_IN_EXP10)
		    : CASE_FLT_FN(BUILT_IN_EXPM1)
		    : CASE_FLT_FN(BUILT_IN_FMOD)
		    : CASE_FLT_FN(BUILT_IN_HYPOT)
		    : CASE_FLT_FN(BUILT_IN_LDEXP)
		    : CASE_FLT_FN(BUILT_IN_LOG)
		    : CASE_FLT_FN(BUILT_IN_LOG2)
		    : CASE_FLT_FN(BUILT_IN_LOG10)
		    : CASE_FLT_FN(BUILT_IN_LOG1P)
		    : CASE_FLT_FN(BUILT_IN_POW)
		    : CASE_FLT_FN(BUILT_IN_REMAINDER)
		    : CASE_FLT_FN(BUILT_IN_SQRT) : CASE_FLT_FN(BUILT_IN_TGAMMA) : return true;
	default:
		return false;
	}
}

bool den_may_leave(gimple *stmt)
{
	gcall *call = dyn_cast<gcall *>(stmt);

	if (stmt_can_throw_external(cfun, stmt) || stmt_can_throw_internal(cfun, stmt))
		return true;
	if (gasm *text = dyn_cast<gasm *>(stmt))
		return gimple_asm_nlabels(text) > 0;
	if (!call || gimple_call_internal_p(call))
		return false;
	if (gimple_call_flags(call) & (ECF_NORETURN | ECF_RETURNS_TWICE))
		return true;
	return !gimple_call_fndecl(call) || !fndecl_built_in_p(gimple_call_fndecl(call), BUILT_IN_NORMAL) ||
	       !(gimple_call_flags(call) & ECF_LEAF);
}
