/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus-den-copy: denormals that are moved as integers or bytes.
 *
 * before                          after
 *     i = *(int *)&f;                 i = *(int *)&f;
 *                                     mark ("copy ...", VIEW_CONVERT <float> (i), ...);
 *     memcpy (p, q, n);               memcpy (p, q, n);
 *                                     denormals ("copy ...", p, n);
 *
 * and late (perseus-den-copied)       d = denormals (&site, p, n);
 *                                     if (d)                          (seldom)
 *                                             table ()[7] += d;
 *
 * The second call reads memory, and GCC knows that it does.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/copies/copy.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/denormal/mark.h"
#include "gcc-plugin/denormal/count.h"
#include "gcc-plugin/denormal/fuse.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/sites/select.h"
#include "perseus/sites.h"

#define LEAST                                                                                                \
	64 /* bytes of a copy of memory that is counted; smaller ones are often no copy when all is done */

struct copier {
	uint64_t scope;
	const char *function;
	unsigned ordinal;
	bool changed; /* statements that read memory were added */
};

static void describe(struct copier *k, gimple *stmt, tree type, tree ref, bool into, struct den_site *s,
		     struct described *d)
{
	expanded_location at = expand_location(gimple_location(stmt));

	memset(s, 0, sizeof(*s));
	s->id = prs_site_id(prs_fnv64_text(k->scope, "copy"), k->ordinal++);
	s->scope = k->scope;
	s->kind = PRS_DEN_COPY;
	den_type(type, &s->type);
	s->line = (unsigned)at.line;
	s->column = (unsigned)at.column;
	s->flags = into ? PRS_DEN_SITE_INTO : 0;
	s->number = -1;
	s->slots = DEN_SLOT(PRS_DEN_RESULT, 0);
	if (s->type <= PRS_DEN_FLOAT)
		s->slots |= DEN_SLOT(PRS_DEN_WRAPPED, 0);
	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		s->link[i] = DEN_LINK_NONE;
	s->file = at.file ? text_path(at.file) : name_of_unit();
	s->function = k->function;
	access_describe(ref, true, d);
	s->name = d->base;
}

/* The value as one of floating point, for the mark; NULL_TREE: a constant that is not denormal. */
static tree as_float(gimple *stmt, tree value, tree type, bool before)
{
	gimple *view;
	tree name;

	if (CONSTANT_CLASS_P(value)) {
		tree folded = fold_unary(VIEW_CONVERT_EXPR, type, value);

		return folded && den_constant(folded) ? folded : NULL_TREE;
	}
	name = make_ssa_name(type);
	view = gimple_build_assign(name, VIEW_CONVERT_EXPR, build1(VIEW_CONVERT_EXPR, type, value));
	if (before) {
		gimple_stmt_iterator gsi = gsi_for_stmt(stmt);

		gsi_insert_before(&gsi, view, GSI_SAME_STMT);
	} else {
		gimple *after = stmt;

		pass_insert_after(stmt, view, &after);
	}
	return name;
}

/* A load or store of one integer. */
static void mark_integer(struct copier *k, gassign *stmt)
{
	bool into = gimple_store_p(stmt);
	tree ref = into ? gimple_assign_lhs(stmt) : gimple_assign_rhs1(stmt),
	     value = into ? gimple_assign_rhs1(stmt) : gimple_assign_lhs(stmt), type, name;
	struct den_site site;
	struct described d;
	gcall *mark;
	gimple *after;

	if (!INTEGRAL_TYPE_P(TREE_TYPE(ref)) ||
	    (TREE_CODE(value) != SSA_NAME && TREE_CODE(value) != INTEGER_CST))
		return;
	type = copy_float_behind(ref);
	if (!type || !tree_int_cst_equal(TYPE_SIZE(type), TYPE_SIZE(TREE_TYPE(ref))) ||
	    TYPE_PRECISION(TREE_TYPE(ref)) != tree_to_uhwi(TYPE_SIZE(type)))
		return;
	name = as_float(stmt, value, type, into);
	if (!name)
		return;
	describe(k, stmt, type, ref, into, &site, &d);
	mark = den_mark_make(&site, name, den_mark_pointer(ref));
	if (into) {
		gimple_stmt_iterator gsi = gsi_for_stmt(stmt);

		gimple_set_location(mark, gimple_location(stmt));
		gsi_insert_before(&gsi, mark, GSI_SAME_STMT);
		return;
	}
	after = SSA_NAME_DEF_STMT(name);
	pass_insert_after(after, mark, &after);
}

/* Denormals of @type in @bytes bytes at @to, which @stmt has just written. */
static void count_behind(struct copier *k, gimple *stmt, tree type, tree ref, tree to, tree bytes)
{
	struct den_site site;
	struct described d;
	gimple *after = stmt;
	tree text;

	if (!tree_fits_uhwi_p(bytes) ? TREE_CODE(bytes) != SSA_NAME : tree_to_uhwi(bytes) < LEAST)
		return;
	describe(k, stmt, type, ref, true, &site, &d);
	site.slots = DEN_SLOT(PRS_DEN_RESULT, 0);
	text = den_site_text(&site);
	pass_insert_after(stmt, asm_den_copy(text, to, bytes), &after);
	k->changed = true;
}

static void copy_of_memory(struct copier *k, gcall *call)
{
	tree to = gimple_call_arg(call, 0), type = copy_float_behind(to);

	if (!type)
		type = copy_float_behind(gimple_call_arg(call, 1));
	if (type)
		count_behind(k, call, type, build2(MEM_REF, type, to, build_int_cst(ptr_type_node, 0)), to,
			     gimple_call_arg(call, 2));
}

static void copy_of_aggregate(struct copier *k, gassign *stmt)
{
	tree to = gimple_assign_lhs(stmt), type = copy_float_only(TREE_TYPE(to)), base = get_base_address(to);

	/* GCC makes an assignment of characters of memcpy(). */
	if (!type)
		type = copy_float_behind(to);
	if (!type || !base || TREE_THIS_VOLATILE(to) || !TYPE_SIZE_UNIT(TREE_TYPE(to)) ||
	    (DECL_P(base) && (DECL_THREAD_LOCAL_P(base) || (VAR_P(base) && DECL_HARD_REGISTER(base)))) ||
	    TREE_CODE(gimple_assign_rhs1(stmt)) == CONSTRUCTOR ||
	    !tree_fits_uhwi_p(TYPE_SIZE_UNIT(TREE_TYPE(to))))
		return;
	if (tree_to_uhwi(TYPE_SIZE_UNIT(TREE_TYPE(to))) < LEAST)
		return;
	if (DECL_P(base))
		TREE_ADDRESSABLE(base) = 1;
	to = build_fold_addr_expr(unshare_expr(to));
	if (!is_gimple_val(to)) {
		gimple_stmt_iterator gsi = gsi_for_stmt(stmt);

		to = force_gimple_operand_gsi(&gsi, to, true, NULL_TREE, true, GSI_SAME_STMT);
	}
	count_behind(k, stmt, type, gimple_assign_lhs(stmt), to,
		     TYPE_SIZE_UNIT(TREE_TYPE(gimple_assign_lhs(stmt))));
}

static void copy_look_at(struct copier *k, gimple *stmt)
{
	gassign *a = dyn_cast<gassign *>(stmt);
	gcall *c = dyn_cast<gcall *>(stmt);

	if (c && (gimple_call_builtin_p(c, BUILT_IN_MEMCPY) || gimple_call_builtin_p(c, BUILT_IN_MEMMOVE) ||
		  gimple_call_builtin_p(c, BUILT_IN_MEMPCPY)))
		copy_of_memory(k, c);
	if (!a || !gimple_assign_single_p(a))
		return;
	if (AGGREGATE_TYPE_P(TREE_TYPE(gimple_assign_lhs(a))))
		copy_of_aggregate(k, a);
	else if (gimple_assign_load_p(a) || gimple_store_p(a))
		mark_integer(k, a);
}

static unsigned copy_execute(function *fun)
{
	auto_vec<gimple *, 64> all;
	struct copier k = {};
	basic_block bb;

	if (select_impossible(fun) || select_function(fun) || den_rewritten())
		return 0;
	k.function = callee_asm_name(fun->decl);
	k.scope = prs_site_group(k.function, TREE_PUBLIC(fun->decl) ? "" : name_of_unit(), "denormal");
	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
		if (!is_gimple_debug(gsi_stmt(gsi)))
			all.safe_push(gsi_stmt(gsi));
	for (unsigned i = 0; i < all.length(); i++)
		copy_look_at(&k, all[i]);
	return k.changed ? TODO_update_ssa : 0;
}

static void copied(gcall *call)
{
	struct den_mark mark = {};
	gimple_seq seq = NULL;
	gimple_stmt_iterator gsi;
	basic_block bb;
	tree n = make_ssa_name(size_type_node), address = gimple_call_arg(call, 1), table;

	mark.site = den_site_of(gimple_call_arg(call, 0));
	if (!mark.site)
		return;
	asm_den_copy_late(call, den_site_address(mark.site));
	gimple_call_set_lhs(call, n);
	gimple_call_set_tail(call, false);
	update_stmt(call);
	bb = den_fuse_split(call)->src;
	bb = den_seldom(bb, n);
	table = den_table(&seq);
	n = gimple_convert(&seq, uint64_type_node, n);
	den_table_add(&seq, table, den_slot(mark.site, PRS_DEN_RESULT, 0), n);
	den_table_array(&seq, &mark, address, n);
	gsi = gsi_last_bb(bb);
	gsi_insert_seq_after(&gsi, seq, GSI_NEW_STMT);
}

static unsigned copied_execute(function *fun)
{
	auto_vec<gcall *, 16> all;
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
		if (asm_den_is_copy(gsi_stmt(gsi)))
			all.safe_push(as_a<gcall *>(gsi_stmt(gsi)));
	for (unsigned i = 0; i < all.length(); i++)
		copied(all[i]);
	return all.length() ? TODO_update_ssa | TODO_cleanup_cfg : 0;
}

static const pass_data copy_data = {
	GIMPLE_PASS, "perseus-den-copy", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};
static const pass_data copied_data = {
	GIMPLE_PASS, "perseus-den-copied", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};

namespace
{
class pass_den_copy : public gimple_opt_pass
{
      public:
	pass_den_copy(gcc::context *ctxt) : gimple_opt_pass(copy_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.denormal && prs_opt.den_mode != PRS_DEN_RESULTS && !in_lto_p && !seen_error();
	}
	unsigned int execute(function *fun) final override
	{
		return copy_execute(fun);
	}
};

class pass_den_copied : public gimple_opt_pass
{
      public:
	pass_den_copied(gcc::context *ctxt) : gimple_opt_pass(copied_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.denormal && !seen_error();
	}
	unsigned int execute(function *fun) final override
	{
		return copied_execute(fun);
	}
};
} // namespace

gimple_opt_pass *make_pass_den_copy(gcc::context *ctxt)
{
	return new pass_den_copy(ctxt);
}

gimple_opt_pass *make_pass_den_copied(gcc::context *ctxt)
{
	return new pass_den_copied(ctxt);
}
