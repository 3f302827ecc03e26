/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tags of values in registers: a variable beside each, which goes where the value goes. */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/denormal/fuse.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/origin/parts.h"

static tree told_only(unsigned tag)
{
	return build_int_cst(uint64_type_node, tag);
}

/* Of what has no tag of its own. */
static tree not_followed(tree value)
{
	gimple *def = TREE_CODE(value) == SSA_NAME ? SSA_NAME_DEF_STMT(value) : NULL;

	return told_only(def && (SSA_NAME_IS_DEFAULT_DEF(value) || is_gimple_call(def)) ? PRS_DEN_TAG_HANDED
											: PRS_DEN_TAG_LOST);
}

static bool plain_merge(gphi *phi)
{
	for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
		if (gimple_phi_arg_edge(phi, i)->flags & (EDGE_ABNORMAL | EDGE_EH))
			return false;
	return true;
}

void den_flow_do_behind(struct den_flow *f, gimple *at, tree value, gimple_seq block, tree var)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(at);
	gimple *anchor = gimple_build_nop();

	gsi_insert_after(&gsi, anchor, GSI_NEW_STMT);
	f->kept.safe_push(value);
	f->anchors.safe_push(anchor);
	f->blocks.safe_push(block);
	f->saids.safe_push(var);
}

/* @value, the result of @m, a load, or what has no mark (@m NULL), keeps its tag in @var where it is denormal. */
static void keep(struct den_flow *f, tree value, const struct den_mark *m, tree var)
{
	gimple *at = m && !den_flow_is_load(value) ? m->stmt : SSA_NAME_DEF_STMT(value);
	gimple_seq block = NULL;
	tree tag = den_flow_kept(f, &block, value, m, at);

	gimple_seq_add_stmt_without_update(&block, gimple_build_assign(var, tag));
	den_flow_do_behind(f, at, value, block, var);
}

static tree new_tag(struct den_flow *f, tree value)
{
	tree var = create_tmp_reg(uint64_type_node, "origin");

	f->tags.put(value, var);
	f->variables.safe_push(var);
	return var;
}

/* @value is one of two: @var has the tag of that. */
static void follow_either(struct den_flow *f, gimple *def, tree var)
{
	tree yes = den_flow_tag(f, gimple_assign_rhs2(def)), no = den_flow_tag(f, gimple_assign_rhs3(def));
	gimple_stmt_iterator gsi = gsi_for_stmt(def);

	gsi_insert_after(&gsi,
			 gimple_build_assign(var, COND_EXPR, unshare_expr(gimple_assign_rhs1(def)), yes, no),
			 GSI_NEW_STMT);
}

/* What defines @value says which tag it has; @m: its mark, or NULL. */
static void follow(struct den_flow *f, tree value, const struct den_mark *m, tree var)
{
	gimple *def = SSA_NAME_DEF_STMT(value);
	gphi *phi = dyn_cast<gphi *>(def);

	if (phi)
		f->merges.safe_push(phi);
	else if (!m && gimple_assign_rhs_code(def) == COND_EXPR)
		follow_either(f, def, var);
	else
		keep(f, value, m, var);
	for (unsigned i = 0; phi && i < gimple_phi_num_args(phi); i++)
		den_flow_tag(f, gimple_phi_arg_def(phi, i));
}

tree den_flow_tag(struct den_flow *f, tree value)
{
	tree *known, var;
	struct den_mark m;
	gimple *def;
	gphi *phi;
	bool marked;

	value = den_strip(value);
	if (TREE_CODE(value) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(value) ||
	    den_lanes(TREE_TYPE(value)) != 1)
		return not_followed(value);
	known = f->tags.get(value);
	if (known)
		return *known;
	def = SSA_NAME_DEF_STMT(value);
	var = new_tag(f, value);
	if (den_flow_take_said(value, var))
		return var;
	phi = dyn_cast<gphi *>(def);
	marked = !phi && den_flow_mark_of(value, NULL, &m);
	if ((phi ? !plain_merge(phi) : stmt_ends_bb_p(def) || (!marked && !is_gimple_assign(def))) ||
	    den_flow_in_clean(f, def))
		return *f->tags.get(value) = not_followed(value);
	follow(f, value, marked ? &m : NULL, var);
	return var;
}

/* All tags of a block's merges are read before one is set. */
static void merge_tags(struct den_flow *f)
{
	vec<gimple *> later = vNULL;
	vec<edge> edges = vNULL;
	unsigned i;
	gphi *phi;

	FOR_EACH_VEC_ELT(f->merges, i, phi)
	for (unsigned k = 0; k < gimple_phi_num_args(phi); k++) {
		tree tmp = create_tmp_reg(uint64_type_node, "origin"),
		     from = den_flow_tag(f, gimple_phi_arg_def(phi, k));

		gsi_insert_on_edge(gimple_phi_arg_edge(phi, k), gimple_build_assign(tmp, from));
		later.safe_push(gimple_build_assign(*f->tags.get(gimple_phi_result(phi)), tmp));
		edges.safe_push(gimple_phi_arg_edge(phi, k));
	}
	for (i = 0; i < later.length(); i++)
		gsi_insert_on_edge(edges[i], later[i]);
	later.release();
	edges.release();
}

/* @var, if not NULL_TREE, is told to later passes, which keep it no second time. */
static void put_kept(tree value, gimple *anchor, gimple_seq block, tree var)
{
	edge behind = den_fuse_split(anchor);
	gimple_stmt_iterator gsi = gsi_after_labels(behind->dest);
	basic_block bb = behind->src;
	gimple_seq test = NULL;
	tree is = den_test(&test, value, 0, false);

	if (var)
		gsi_insert_before(&gsi, den_flow_note(value, var), GSI_SAME_STMT);
	gsi = gsi_for_stmt(anchor);
	gsi_insert_seq_before(&gsi, test, GSI_SAME_STMT);
	bb = den_seldom(bb, is);
	gsi = gsi_last_bb(bb);
	gsi_insert_seq_after(&gsi, block, GSI_NEW_STMT);
}

void den_flow_end(struct den_flow *f)
{
	if (f->kept.length() || f->merges.length()) {
		merge_tags(f);
		for (unsigned i = 0; i < f->variables.length(); i++)
			gsi_insert_on_edge(
				single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(cfun)),
				gimple_build_assign(f->variables[i], build_zero_cst(uint64_type_node)));
		gsi_commit_edge_inserts();
		for (unsigned i = 0; i < f->kept.length(); i++)
			put_kept(f->kept[i], f->anchors[i], f->blocks[i], f->saids[i]);
	}
	f->variables.release();
	f->merges.release();
	f->kept.release();
	f->anchors.release();
	f->blocks.release();
	f->saids.release();
}
