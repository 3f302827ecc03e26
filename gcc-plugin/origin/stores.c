/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which statement stores what a mark is about, and stores that no mark is about. */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/denormal/vector.h"
#include "gcc-plugin/origin/parts.h"

/* Does @stmt store the first part of @value, a complex number that GCC stores part by part? */
static bool stores_first(gimple *stmt, tree value)
{
	gimple *def;

	if (TREE_CODE(value) != SSA_NAME || TREE_CODE(gimple_assign_lhs(stmt)) != REALPART_EXPR)
		return false;
	def = SSA_NAME_DEF_STMT(value);
	return is_gimple_assign(def) && gimple_assign_rhs_code(def) == COMPLEX_EXPR &&
	       gimple_assign_rhs1(def) == gimple_assign_rhs1(stmt);
}

gimple *den_flow_store_of(const struct den_mark *m)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(m->stmt);

	for (gsi_next(&gsi); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gimple *stmt = gsi_stmt(gsi);

		if (is_gimple_assign(stmt) && gimple_store_p(stmt) &&
		    (gimple_assign_rhs1(stmt) == m->value || stores_first(stmt, m->value)))
			return stmt;
	}
	return NULL;
}

/* Are all names in @ref known at @at? */
static bool known_at(tree ref, gimple *at)
{
	for (; handled_component_p(ref); ref = TREE_OPERAND(ref, 0))
		for (int i = 1; i < TREE_OPERAND_LENGTH(ref); i++) {
			tree op = TREE_OPERAND(ref, i);

			if (op && TREE_CODE(op) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(op) &&
			    !stmt_dominates_stmt_p(SSA_NAME_DEF_STMT(op), at))
				return false;
		}
	for (int i = 0; TREE_CODE(ref) == MEM_REF || TREE_CODE(ref) == TARGET_MEM_REF; i++) {
		tree op = i < TREE_OPERAND_LENGTH(ref) ? TREE_OPERAND(ref, i) : NULL_TREE;

		if (i == TREE_OPERAND_LENGTH(ref))
			return true;
		if (op && TREE_CODE(op) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(op) &&
		    !stmt_dominates_stmt_p(SSA_NAME_DEF_STMT(op), at))
			return false;
	}
	return DECL_P(ref);
}

gimple *den_flow_moved(const struct den_mark *m)
{
	location_t place = LOCATION_LOCUS(gimple_location(m->stmt));
	imm_use_iterator it;
	use_operand_p use;
	gimple *found = NULL;

	if (TREE_CODE(m->value) != SSA_NAME || place <= BUILTINS_LOCATION)
		return NULL;
	FOR_EACH_IMM_USE_FAST(use, it, m->value)
	{
		gimple *stmt = USE_STMT(use);

		if (!is_gimple_assign(stmt) || !gimple_store_p(stmt) ||
		    gimple_assign_rhs1(stmt) != m->value || LOCATION_LOCUS(gimple_location(stmt)) != place)
			continue;
		if (found || !stmt_dominates_stmt_p(m->stmt, stmt) ||
		    !known_at(gimple_assign_lhs(stmt), m->stmt))
			return NULL;
		found = stmt;
	}
	return found;
}

tree den_flow_stored_to(gimple *store, tree value)
{
	tree to = gimple_assign_lhs(store);

	return stores_first(store, value) ? TREE_OPERAND(to, 0) : to;
}

/* ---- stores that are none of the source ---- */

/* @stays: of loops that were asked about. */
static bool store_of_ours(struct den_flow *f, hash_map<class loop *, bool> *stays, gimple *stmt)
{
	class loop *loop = gimple_bb(stmt)->loop_father;
	bool *known, asked;
	unsigned type;
	tree to;

	if (!is_gimple_assign(stmt) || !gimple_store_p(stmt) || !gimple_assign_single_p(stmt) ||
	    stmt_ends_bb_p(stmt) || TREE_CODE(gimple_assign_rhs1(stmt)) != SSA_NAME)
		return false;
	to = gimple_assign_lhs(stmt);
	if (!den_type(TREE_TYPE(to), &type) || den_lanes(TREE_TYPE(to)) != 1 || den_flow_in_clean(f, stmt))
		return false;
	if (!loop || !loop_outer(loop) || loop->inner)
		return true;
	/* A loop that may be vectorised stays as it is. */
	known = &stays->get_or_insert(loop, &asked);
	if (!asked)
		*known = den_vectorisable(loop);
	return !*known;
}

void den_flow_stores(struct den_flow *f, function *fun)
{
	auto_vec<gimple *, 16> stores;
	hash_map<class loop *, bool> stays;
	hash_set<gimple *> marked;
	struct den_mark m;
	basic_block bb;
	bool any = false;

	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gimple *stmt = gsi_stmt(gsi), *store = NULL;

		if (store_of_ours(f, &stays, stmt))
			stores.safe_push(stmt);
		if (!den_mark_read(stmt, &m))
			continue;
		any = true;
		if (m.site->kind == PRS_DEN_STORE && m.value && !(store = den_flow_store_of(&m)))
			store = den_flow_moved(&m);
		if (store)
			marked.add(store);
	}
	for (unsigned i = 0; any && i < stores.length(); i++) {
		tree value = gimple_assign_rhs1(stores[i]), address;
		gimple_seq seq = NULL;

		if (marked.contains(stores[i]))
			continue;
		address = den_flow_address(&seq, gimple_assign_lhs(stores[i]), 0);
		if (!address)
			continue;
		tree args[] = {NULL_TREE, address, NULL_TREE, build_one_cst(uint64_type_node),
			       den_flow_tag(f, value)};
		den_flow_call(&seq, PRS_DEN_FLOW_SET, args, NULL);
		den_flow_do_behind(f, stores[i], value, seq, NULL_TREE);
	}
}
