/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus-den-mark: mark each operation, before anything is optimised.
 *
 * before                          after (mode full)
 *     x = *p;                         x = *p;
 *                                     mark ("load ...", x, p);
 *     r = x * y;                      r = x * y;
 *                                     mark ("mul ...", r, x, y);
 */
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/denormal/den-pass.h"
#include "gcc-plugin/denormal/mark.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/sites/select.h"
#include "perseus/sites.h"

#define ARG_VALUE   1
#define ARG_OPERAND 2
#define ARG_ADDRESS (ARG_OPERAND + DEN_OPERANDS)
#define ARGS        (ARG_ADDRESS + 1)

/* An operation on its way into a mark. */
struct found {
	gimple *stmt;
	struct den_op op;
	bool root;
	int number; /* -1: it has no mark */
};

struct marker {
	vec<found> list;
	hash_map<tree, int> *of_value; /* numbers */
	uint64_t scope;
	const char *function;
	unsigned ordinal[PRS_DEN_KINDS];
};

static const char *const words[PRS_DEN_KINDS] = {"load", "store",   "add",     "sub",  "mul",  "div",  "sqrt",
						 "fma",  "convert", "compare", "call", "copy", "other"};

static tree given(gcall *call, unsigned i)
{
	tree arg = gimple_call_arg(call, i);

	return arg == integer_zero_node ? NULL_TREE : arg;
}

bool den_mark_read(gimple *stmt, struct den_mark *m)
{
	gcall *call = dyn_cast<gcall *>(stmt);

	if (!call || !gimple_call_internal_p(call, IFN_LAUNDER) || gimple_call_num_args(call) != ARGS)
		return false;
	m->stmt = call;
	m->site = den_site_of(gimple_call_arg(call, 0));
	m->value = given(call, ARG_VALUE);
	m->address = given(call, ARG_ADDRESS);
	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		m->operand[i] = given(call, ARG_OPERAND + i);
	return m->site;
}

bool den_mark_before(const struct den_mark *m, unsigned i, struct den_mark *before)
{
	tree value = m->operand[i];
	imm_use_iterator it;
	use_operand_p use;

	if (!value || TREE_CODE(value) != SSA_NAME || m->site->link[i] < 0)
		return false;
	FOR_EACH_IMM_USE_FAST(use, it, value)
	{
		gimple *stmt = USE_STMT(use);

		if (stmt != m->stmt && den_mark_read(stmt, before) && before->value == value &&
		    before->site->scope == m->site->scope && before->site->number == m->site->link[i] &&
		    stmt_dominates_stmt_p(stmt, m->stmt))
			return true;
	}
	return false;
}

void den_mark_write(const struct den_mark *m, const struct den_site *site)
{
	if (site != m->site)
		gimple_call_set_arg(m->stmt, 0, den_site_text(site));
	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		gimple_call_set_arg(m->stmt, ARG_OPERAND + i,
				    m->operand[i] ? m->operand[i] : integer_zero_node);
	update_stmt(m->stmt);
}

tree den_mark_about(const struct den_mark *m, unsigned i)
{
	return i ? m->operand[i - 1] : m->value;
}

static bool wanted(const struct found *f)
{
	if (prs_opt.den_mode != PRS_DEN_RESULTS)
		return true;
	return f->op.value && !f->op.ref && f->root;
}

static void collect(struct marker *k, function *fun)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		struct found f = {gsi_stmt(gsi), {}, false, -1};

		if (is_gimple_debug(f.stmt) || !den_operation(f.stmt, &f.op))
			continue;
		if (f.op.value && !den_lanes(TREE_TYPE(f.op.value)))
			continue;
		f.root = f.op.value && !f.op.ref && den_leaves(f.op.value);
		if (!wanted(&f))
			continue;
		f.number = (int)k->list.length();
		if (f.op.value && f.op.kind != PRS_DEN_STORE)
			k->of_value->put(f.op.value, f.number);
		k->list.safe_push(f);
	}
}

/* Which counters an operation has, and where its operands come from. */
static void describe_operands(struct marker *k, const struct found *f, struct den_site *s)
{
	bool operation = !f->op.ref && f->op.kind != PRS_DEN_COMPARE;

	s->operands = f->op.n;
	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		s->link[i] = DEN_LINK_NONE;
	if (f->op.value)
		s->slots |= DEN_SLOT(PRS_DEN_RESULT, 0);
	if (f->op.value && f->op.type <= PRS_DEN_FLOAT)
		s->slots |= DEN_SLOT(PRS_DEN_WRAPPED, 0);
	if (prs_opt.den_mode == PRS_DEN_RESULTS)
		return;
	for (unsigned i = 0; i < f->op.n; i++) {
		tree from = den_strip(f->op.operand[i]);
		int *number = TREE_CODE(from) == SSA_NAME ? k->of_value->get(from) : NULL;

		if (TREE_CODE(from) != SSA_NAME && !den_constant(from))
			continue;
		s->link[i] = number ? *number : DEN_LINK_LEAF;
		s->slots |= DEN_SLOT(PRS_DEN_OPERAND, i);
	}
	if (operation)
		s->slots |= DEN_SLOT(PRS_DEN_DEATH, 0);
	if (operation && f->op.value)
		s->slots |= DEN_SLOT(PRS_DEN_BIRTH, 0);
}

static const char *name_for(const struct found *f, struct described *d)
{
	if (f->op.callee)
		return IDENTIFIER_POINTER(DECL_NAME(f->op.callee));
	if (!f->op.ref)
		return "";
	access_describe(f->op.ref, true, d);
	return d->base;
}

static void describe(struct marker *k, const struct found *f, struct den_site *s, struct described *d)
{
	expanded_location at = expand_location(gimple_location(f->stmt));
	uint64_t group = prs_fnv64_text(k->scope, words[f->op.kind]);

	memset(s, 0, sizeof(*s));
	s->id = prs_site_id(group, k->ordinal[f->op.kind]++);
	s->scope = k->scope;
	s->kind = f->op.kind;
	s->type = f->op.type;
	s->line = (unsigned)at.line;
	s->column = (unsigned)at.column;
	s->flags = f->root ? PRS_DEN_SITE_ROOT : 0;
	s->number = f->number;
	s->file = at.file ? text_path(at.file) : name_of_unit();
	s->function = k->function;
	s->name = name_for(f, d);
	describe_operands(k, f, s);
}

tree den_mark_pointer(tree ref)
{
	tree base = ref ? get_base_address(ref) : NULL_TREE;

	if (!base || prs_opt.den_mode == PRS_DEN_RESULTS)
		return integer_zero_node;
	if (TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == SSA_NAME)
		return TREE_OPERAND(base, 0);
	if (TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == ADDR_EXPR)
		base = get_base_address(TREE_OPERAND(TREE_OPERAND(base, 0), 0));
	if (!base || !VAR_P(base) || !is_global_var(base) || DECL_THREAD_LOCAL_P(base) ||
	    DECL_HARD_REGISTER(base))
		return integer_zero_node;
	/* What other units see may be pointed to, for all that GCC knows; another variable would no longer be known as ours. */
	if (TREE_PUBLIC(base) || DECL_EXTERNAL(base))
		mark_addressable(base);
	return TREE_ADDRESSABLE(base) ? build_fold_addr_expr(base) : integer_zero_node;
}

tree den_mark_variable(const struct den_mark *m, gimple *access)
{
	tree ref = gimple_store_p(access) ? gimple_assign_lhs(access) : gimple_assign_rhs1(access);
	tree base = get_base_address(ref);
	struct described d;

	if (base && TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == ADDR_EXPR)
		base = get_base_address(TREE_OPERAND(TREE_OPERAND(base, 0), 0));
	if (!base || !DECL_P(base) ||
	    (VAR_P(base) && (DECL_HARD_REGISTER(base) || DECL_THREAD_LOCAL_P(base))))
		return NULL_TREE;
	/* What was stored to one variable and loaded again may be known as a load of another. */
	access_describe(ref, true, &d);
	if (strcmp(d.base, m->site->name) != 0)
		return NULL_TREE;
	mark_addressable(base);
	return build_fold_addr_expr(base);
}

gcall *den_mark_make(const struct den_site *site, tree value, tree address)
{
	vec<tree> args = vNULL;
	gcall *mark;

	args.safe_push(den_site_text(site));
	args.safe_push(value ? value : integer_zero_node);
	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		args.safe_push(integer_zero_node);
	args.safe_push(address);
	mark = gimple_build_call_internal_vec(IFN_LAUNDER, args);
	args.release();
	gimple_call_set_nothrow(mark, true);
	return mark;
}

static void put(struct marker *k, const struct found *f)
{
	struct den_site site;
	struct described d;
	gimple *after = f->stmt;
	gcall *mark;

	describe(k, f, &site, &d);
	if (!site.slots)
		return;
	mark = den_mark_make(&site, f->op.value, den_mark_pointer(f->op.ref));
	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		if (site.link[i] != DEN_LINK_NONE)
			gimple_call_set_arg(mark, ARG_OPERAND + i, den_strip(f->op.operand[i]));
	if (f->op.value && f->op.kind != PRS_DEN_STORE) {
		pass_insert_after(f->stmt, mark, &after);
		return;
	}
	/* What is stored, compared or converted is known before. */
	gimple_stmt_iterator gsi = gsi_for_stmt(f->stmt);
	gimple_set_location(mark, gimple_location(f->stmt));
	gsi_insert_before(&gsi, mark, GSI_SAME_STMT);
}

static unsigned mark_execute(function *fun)
{
	hash_map<tree, int> numbers;
	struct marker k = {};
	tree decl = fun->decl;

	if (select_impossible(fun) || select_function(fun) || den_rewritten())
		return 0;
	k.of_value = &numbers;
	k.function = callee_asm_name(decl);
	k.scope = prs_site_group(k.function, TREE_PUBLIC(decl) ? "" : name_of_unit(), "denormal");
	collect(&k, fun);
	for (unsigned i = 0; i < k.list.length(); i++)
		put(&k, &k.list[i]);
	k.list.release();
	return 0;
}

const char *den_rewritten(void)
{
	if (flag_associative_math || flag_reciprocal_math || flag_unsafe_math_optimizations)
		return "-ffast-math";
	return asm_den_wide();
}

static const pass_data mark_data = {
	GIMPLE_PASS, "perseus-den-mark", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};

namespace
{
class pass_den_mark : public gimple_opt_pass
{
      public:
	pass_den_mark(gcc::context *ctxt) : gimple_opt_pass(mark_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.denormal && !in_lto_p && !seen_error();
	}
	unsigned int execute(function *fun) final override
	{
		return mark_execute(fun);
	}
};
} // namespace

gimple_opt_pass *make_pass_den_mark(gcc::context *ctxt)
{
	return new pass_den_mark(ctxt);
}
