/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The main loop of an interpreter:
 *
 *     static const void *const to[] = {&&add, &&sub, ...};
 *     goto *to[*code++];
 *
 * GCC never copies such a function, since the copy would jump by the table of the
 * first one.  Here the copy gets a table of its own.  That is right if no
 * address of a label is seen by anybody else: each is read from the table in order to be jumped
 * to, and for nothing else, and only this function knows of the table.  A program
 * that keeps addresses (code translated into them, say) may use them in the next call,
 * which may run in the other body.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/passes/label-tables.h"

/* The label that @value is the address of, or NULL. */
static tree label_of(tree value)
{
	STRIP_NOPS(value);
	return TREE_CODE(value) == ADDR_EXPR && TREE_CODE(TREE_OPERAND(value, 0)) == LABEL_DECL
		       ? TREE_OPERAND(value, 0)
		       : NULL_TREE;
}

/* Nothing but an array of addresses of labels. */
static bool has_labels_only(tree var)
{
	tree init = DECL_INITIAL(var), value;
	unsigned HOST_WIDE_INT i;

	if (TREE_CODE(TREE_TYPE(var)) != ARRAY_TYPE || TREE_CODE(init) != CONSTRUCTOR)
		return false;
	FOR_EACH_CONSTRUCTOR_VALUE(CONSTRUCTOR_ELTS(init), i, value)
	if (!label_of(value))
		return false;
	return true;
}

static tree find_label(tree *tp, int *, void *)
{
	return TREE_CODE(*tp) == LABEL_DECL ? *tp : NULL_TREE;
}

static bool is_own(varpool_node *node, tree decl)
{
	ipa_ref *ref = NULL;

	for (unsigned i = 0; node->iterate_referring(i, ref); i++)
		if (ref->referring->decl != decl)
			return false;
	return true;
}

/* Static variables of @fun that hold addresses of labels; false: one is more than a table. */
static bool find_tables(function *fun, vec<tree> *tables)
{
	unsigned i;
	tree var;

	FOR_EACH_LOCAL_DECL(fun, i, var)
	{
		varpool_node *node;

		if (!VAR_P(var) || !TREE_STATIC(var) || DECL_EXTERNAL(var) || !DECL_INITIAL(var) ||
		    !walk_tree_without_duplicates(&DECL_INITIAL(var), find_label, NULL))
			continue;
		node = varpool_node::get(var);
		if (!has_labels_only(var) || TREE_PUBLIC(var) || DECL_ATTRIBUTES(var) || !node ||
		    !is_own(node, fun->decl))
			return false;
		if (!tables->contains(var))
			tables->safe_push(var);
	}
	return true;
}

/* Is @value only jumped to?  @seen: results of PHIs that were asked for already. */
static bool only_jumps(tree value, hash_set<tree> *seen)
{
	imm_use_iterator it;
	use_operand_p use;

	if (seen->add(value))
		return true;
	FOR_EACH_IMM_USE_FAST(use, it, value)
	{
		gimple *stmt = USE_STMT(use);

		if (is_gimple_debug(stmt) || gimple_code(stmt) == GIMPLE_GOTO)
			continue;
		if (gimple_code(stmt) != GIMPLE_PHI || !only_jumps(gimple_phi_result(stmt), seen))
			return false;
	}
	return true;
}

/* A statement's operands that are a label's address or a table. */
static tree find_use(tree *tp, int *, void *arg)
{
	const vec<tree> *tables = (const vec<tree> *)((walk_stmt_info *)arg)->info;

	return label_of(*tp) || (VAR_P(*tp) && tables->contains(*tp)) ? *tp : NULL_TREE;
}

static bool is_harmless(gimple *stmt, const vec<tree> *tables, hash_set<tree> *seen)
{
	walk_stmt_info wi;
	tree use, from;

	if (is_gimple_debug(stmt) || gimple_code(stmt) == GIMPLE_GOTO || gimple_code(stmt) == GIMPLE_LABEL)
		return true;
	memset(&wi, 0, sizeof(wi));
	wi.info = (void *)tables;
	use = walk_gimple_op(stmt, find_use, &wi);
	if (!use)
		return true;
	if (!VAR_P(use) || !gimple_assign_load_p(stmt) || TREE_CODE(gimple_assign_lhs(stmt)) != SSA_NAME)
		return false;
	from = gimple_assign_rhs1(stmt);
	return get_base_address(from) == use && only_jumps(gimple_assign_lhs(stmt), seen);
}

static bool has_label_argument(gphi *phi)
{
	for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
		if (label_of(gimple_phi_arg_def(phi, i)))
			return true;
	return false;
}

bool label_tables_only_jump(function *fun, vec<tree> *tables)
{
	hash_set<tree> seen;
	basic_block bb;

	if (!find_tables(fun, tables))
		return false;
	FOR_EACH_BB_FN(bb, fun)
	{
		for (gphi_iterator phi = gsi_start_phis(bb); !gsi_end_p(phi); gsi_next(&phi))
			if (has_label_argument(phi.phi()))
				return false;
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
			if (!is_harmless(gsi_stmt(gsi), tables, &seen))
				return false;
	}
	return true;
}

void label_tables_allow(function *fun, const vec<tree> *tables)
{
	if (!tables->length())
		return;
	fun->cannot_be_copied_reason = NULL;
	fun->cannot_be_copied_set = 1;
}

typedef hash_map<tree, tree> new_of;

/* A copied label says what it is a copy of. */
static void collect_labels(function *fun, new_of *labels)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		glabel *stmt = dyn_cast<glabel *>(gsi_stmt(gsi));

		if (!stmt)
			break;
		labels->put(DECL_ORIGIN(gimple_label_label(stmt)), gimple_label_label(stmt));
	}
}

static tree copy_table(cgraph_node *twin, tree var, new_of *labels)
{
	tree copy = copy_node(var), index, value;
	vec<constructor_elt, va_gc> *elts = NULL;
	unsigned HOST_WIDE_INT i;

	FOR_EACH_CONSTRUCTOR_ELT(CONSTRUCTOR_ELTS(DECL_INITIAL(var)), i, index, value)
	{
		tree *label = labels->get(DECL_ORIGIN(label_of(value)));

		gcc_assert(label);
		FORCED_LABEL(*label) = 1;
		CONSTRUCTOR_APPEND_ELT(elts, index,
				       fold_convert(TREE_TYPE(value), build_fold_addr_expr(*label)));
	}
	copy->decl_with_vis.symtab_node = NULL;
	DECL_NAME(copy) = create_tmp_var_name("perseus_to");
	SET_DECL_ASSEMBLER_NAME(copy, NULL_TREE);
	SET_DECL_RTL(copy, NULL);
	DECL_ARTIFICIAL(copy) = 1;
	DECL_IGNORED_P(copy) = 1;
	DECL_CONTEXT(copy) = twin->decl;
	DECL_INITIAL(copy) = build_constructor(TREE_TYPE(var), elts);
	TREE_CONSTANT(DECL_INITIAL(copy)) = 1;
	TREE_STATIC(DECL_INITIAL(copy)) = 1;
	add_local_decl(DECL_STRUCT_FUNCTION(twin->decl), copy);
	varpool_node::finalize_decl(copy);
	return copy;
}

/* @arg: new_of tables. */
static tree put_table(tree *tp, int *, void *arg)
{
	tree *copy = VAR_P(*tp) ? ((new_of *)((walk_stmt_info *)arg)->info)->get(*tp) : NULL;

	if (copy)
		*tp = *copy;
	return NULL_TREE;
}

static void put_tables(cgraph_node *twin, new_of *copies)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, cfun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		walk_stmt_info wi;

		memset(&wi, 0, sizeof(wi));
		wi.info = copies;
		walk_gimple_op(gsi_stmt(gsi), put_table, &wi);
		update_stmt(gsi_stmt(gsi));
	}
	for (new_of::iterator it = copies->begin(); it != copies->end(); ++it)
		twin->create_reference(varpool_node::get((*it).second), IPA_REF_LOAD);
}

void label_tables_copy(cgraph_node *twin, const vec<tree> *tables)
{
	new_of labels, copies;

	if (!tables->length())
		return;
	push_cfun(DECL_STRUCT_FUNCTION(twin->decl));
	collect_labels(cfun, &labels);
	for (unsigned i = 0; i < tables->length(); i++)
		copies.put((*tables)[i], copy_table(twin, (*tables)[i], &labels));
	put_tables(twin, &copies);
	pop_cfun();
}
