/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "tree-data-ref.h"
#include "tree-ssa-address.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/denormal/call.h"
#include "gcc-plugin/denormal/count.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/denormal/vector.h"
#include "gcc-plugin/origin/parts.h"

#define STEPS 16 /* states of memory that are looked at between a load and a store */

bool den_flow_wanted(void)
{
	return prs_opt.den_mode == PRS_DEN_ORIGIN;
}

bool den_flow_is_load(tree value)
{
	gimple *def = SSA_NAME_DEF_STMT(value);

	return is_gimple_assign(def) && gimple_assign_load_p(def);
}

bool den_flow_mark_of(tree value, gimple *at, struct den_mark *mark)
{
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	{
		gimple *stmt = USE_STMT(use);

		if (den_mark_read(stmt, mark) && mark->value == value && mark->site->kind != PRS_DEN_STORE &&
		    (mark->site->kind != PRS_DEN_LOAD || den_flow_is_load(value)) &&
		    (!at || stmt == at || stmt_dominates_stmt_p(stmt, at)))
			return true;
	}
	return false;
}

/* Is it in an innermost loop without marks, as one that runs while there are no denormals?  It stays as it is. */
static bool in_clean_loop(gimple *stmt)
{
	class loop *loop = gimple_bb(stmt)->loop_father;
	basic_block *body;
	bool clean = true;
	struct den_mark m;

	if (!loop || !loop_outer(loop) || loop->inner)
		return false;
	body = get_loop_body(loop);
	for (unsigned i = 0; i < loop->num_nodes; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); clean && !gsi_end_p(gsi);
		     gsi_next(&gsi))
			clean = !den_mark_read(gsi_stmt(gsi), &m);
	free(body);
	return clean;
}

static gcall *tag_note(tree value, tree tag)
{
	gcall *call = gimple_build_call_internal(IFN_LAUNDER, 2, value, tag);

	gimple_call_set_nothrow(call, true);
	return call;
}

/* Is @stmt what says of @value, that a loop has left, which tag it has? */
static bool says_tag(gimple *stmt, tree value)
{
	return gimple_call_internal_p(stmt, IFN_LAUNDER) && gimple_call_num_args(stmt) == 2 &&
	       (!value || gimple_call_arg(stmt, 0) == value);
}

static bool is_said(tree value)
{
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	if (says_tag(USE_STMT(use), value))
		return true;
	return false;
}

/* The parts of a complex number or vector, and what else has no mark; but a loop that was seen to has none any more. */
static bool visit_unmarked(struct den_visit *v, tree value, unsigned lane)
{
	gimple *def = SSA_NAME_DEF_STMT(value);
	bool any = false;

	if (!is_gimple_assign(def) || gimple_assign_load_p(def) || is_said(value) || in_clean_loop(def))
		return v->leaf(v, value, NULL, lane);
	for (unsigned i = 1; i < gimple_num_ops(def); i++) {
		tree op = gimple_op(def, i);
		unsigned type;

		if (op && (TREE_CODE(op) == REALPART_EXPR || TREE_CODE(op) == IMAGPART_EXPR ||
			   TREE_CODE(op) == VIEW_CONVERT_EXPR || TREE_CODE(op) == BIT_FIELD_REF))
			op = TREE_OPERAND(op, 0);
		if (!op || TREE_CODE(op) != SSA_NAME || !den_type(TREE_TYPE(op), &type))
			continue;
		any = true;
		if (!den_flow_visit(v, op, lane))
			return false;
	}
	return any || v->leaf(v, value, NULL, lane);
}

/* Does the source load operand @i of @m, where GCC knows what was stored there?  Then it is a leaf. */
static bool forwarded(const struct den_mark *m, unsigned i)
{
	struct den_mark before;

	return TREE_CODE(m->operand[i]) == SSA_NAME && !den_flow_is_load(m->operand[i]) &&
	       den_mark_before(m, i, &before) && before.site->kind == PRS_DEN_LOAD;
}

bool den_flow_visit(struct den_visit *v, tree value, unsigned lane)
{
	struct den_mark m;

	value = den_strip(value);
	if (TREE_CODE(value) != SSA_NAME || !v->left)
		return true;
	v->left--;
	if (!den_flow_mark_of(value, v->at, &m))
		return visit_unmarked(v, value, lane);
	if (m.site->kind == PRS_DEN_LOAD)
		return v->leaf(v, value, &m, lane);
	if (!v->seen->add(value) && !v->operation(v, &m, lane))
		return false;
	for (unsigned i = 0; i < DEN_OPERANDS; i++)
		if (m.operand[i] && !(v->strict && forwarded(&m, i) ? v->leaf(v, m.operand[i], NULL, lane)
								    : den_flow_visit(v, m.operand[i], lane)))
			return false;
	return true;
}

void den_flow_call(gimple_seq *seq, unsigned what, const tree *args, tree *result)
{
	gimple_seq_add_stmt_without_update(seq, asm_den_flow(what, args, result));
}

static tree as_word(gimple_seq *seq, tree value)
{
	return gimple_convert(seq, uint64_type_node, value);
}

/* The address of what @ref is, of @lane of its elements; NULL_TREE: it has none. */
static tree address_of(gimple_seq *seq, tree ref, unsigned lane)
{
	tree base = get_base_address(ref), address;
	gimple_seq own = NULL;

	if (!base || TREE_CODE(ref) == BIT_FIELD_REF || TREE_CODE(ref) == VIEW_CONVERT_EXPR ||
	    !ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(ref))))
		return NULL_TREE;
	if (TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == ADDR_EXPR)
		base = TREE_OPERAND(TREE_OPERAND(base, 0), 0);
	if (VAR_P(base) && DECL_HARD_REGISTER(base))
		return NULL_TREE;
	if (TREE_CODE(ref) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(ref, 1)))
		return NULL_TREE;
	if (DECL_P(base))
		mark_addressable(base);
	address = TREE_CODE(ref) == TARGET_MEM_REF ? tree_mem_ref_addr(ptr_type_node, unshare_expr(ref))
						   : build_fold_addr_expr(unshare_expr(ref));
	address = force_gimple_operand(address, &own, true, NULL_TREE);
	gimple_seq_add_seq_without_update(seq, own);
	address = gimple_convert(seq, pointer_sized_int_node, address);
	if (!lane)
		return address;
	return gimple_build(
		seq, PLUS_EXPR, pointer_sized_int_node, address,
		fold_convert(pointer_sized_int_node,
			     build_int_cst(size_type_node,
					   lane * tree_to_uhwi(TYPE_SIZE_UNIT(TREE_TYPE(TREE_TYPE(ref)))))));
}

/* 1 if the mask is set, else 0, as 64 bits. */
static tree as_count(struct den_count *c, tree mask)
{
	return gimple_build(&c->seq, NEGATE_EXPR, uint64_type_node,
			    den_widen(&c->seq, mask, uint64_type_node));
}

/* Whether @value is denormal in @lane, or in any, if it does not have that many. */
static tree test_lane(struct den_count *c, tree value, unsigned lane, unsigned of)
{
	unsigned n = den_lanes(TREE_TYPE(value));
	tree all = NULL_TREE;

	if (n == of)
		return c->test(c, value, lane);
	for (unsigned l = 0; l < n; l++)
		all = den_either(c, all, c->test(c, value, l));
	return all;
}

/* @states has @state, too. */
static void add_state(vec<tree> *states, tree state)
{
	if (!states->contains(state))
		states->safe_push(state);
}

/* All states that memory had on ways from the load to @at are looked at. */
bool den_flow_overwritten(gimple *load, gimple *at)
{
	auto_vec<tree, STEPS> states;
	ao_ref ref;

	ao_ref_init(&ref, gimple_assign_rhs1(load));
	states.safe_push(gimple_vuse(at));
	for (unsigned i = 0; i < states.length(); i++) {
		tree state = states[i];
		gimple *def;

		if (state == gimple_vuse(load))
			continue;
		if (i == STEPS || TREE_CODE(state) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(state))
			return true;
		def = SSA_NAME_DEF_STMT(state);
		if (gimple_code(def) != GIMPLE_PHI) {
			if (!den_writes_errno(def) && stmt_may_clobber_ref_p_1(def, &ref))
				return true;
			add_state(&states, gimple_vuse(def));
			continue;
		}
		for (unsigned k = 0; k < gimple_phi_num_args(def); k++)
			add_state(&states, gimple_phi_arg_def(def, k));
	}
	return false;
}

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

/* The one store of @m's place in the source, which GCC has moved to a later block; NULL: none, or it has several. */
static gimple *moved_store(const struct den_mark *m)
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

/* Where @store puts all of @value. */
static tree stored_to(gimple *store, tree value)
{
	tree to = gimple_assign_lhs(store);

	return stores_first(store, value) ? TREE_OPERAND(to, 0) : to;
}

/* ---- in the block where a denormal was seen ---- */

struct here {
	struct den_count *c;
	unsigned lanes;
	tree born;            /* the site of the birth that was met first, or 0 */
	vec<unsigned> births; /* with c->call: the births in the order in which they are met */
};

/* @before, if it is one, else the address of @site if the mask @born is set, else 0. */
static tree first_of(struct den_count *c, tree before, tree born, struct den_site *site)
{
	tree type = long_integer_type_node, none = build_zero_cst(type), one, is;

	is = gimple_build(&c->seq, NE_EXPR, boolean_type_node, born, build_zero_cst(TREE_TYPE(born)));
	one = gimple_build(&c->seq, COND_EXPR, type, is,
			   gimple_convert(&c->seq, type, den_site_address(site)), none);
	if (!before)
		return one;
	is = gimple_build(&c->seq, NE_EXPR, boolean_type_node, before, none);
	return gimple_build(&c->seq, COND_EXPR, type, is, before, one);
}

static bool operation_here(struct den_visit *v, const struct den_mark *m, unsigned lane)
{
	struct here *h = (struct here *)v->more;
	unsigned n = m->value ? den_lanes(TREE_TYPE(m->value)) : 0;

	for (unsigned l = n == h->lanes ? lane : 0; l < (n == h->lanes ? lane + 1 : n); l++) {
		tree born = den_born(h->c, m, l);

		if (born && h->c->call)
			h->births.safe_push(den_call_rule(h->c, m->site, born));
		else if (born)
			h->born = first_of(h->c, h->born, born, m->site);
	}
	return true;
}

static tree tag_of(struct den_count *c, tree value);

/* The word with the address that @value, @lane of it, was loaded from; 0: it is not known. */
static unsigned place_of(struct den_count *c, tree value, unsigned lane)
{
	gimple *load = SSA_NAME_DEF_STMT(value);
	unsigned *known = den_call_place(c->call, load, lane);
	tree address;

	if (*known)
		return *known;
	address = address_of(&c->seq, gimple_assign_rhs1(load), lane);
	return address ? *known = den_call_word(c->call, address) : 0;
}

/* The same as leaf_here() for the runtime. */
static void leaf_called(struct here *h, tree value, const struct den_mark *m, unsigned lane, bool kept)
{
	struct den_count *c = h->c;
	unsigned rule = den_call_rule(c, NULL, test_lane(c, value, lane, h->lanes));
	unsigned place = 0;
	struct den_site *site = m ? m->site : NULL;

	if (den_flow_is_load(value))
		place = place_of(c, value, den_lanes(TREE_TYPE(value)) == h->lanes ? lane : 0);
	if (place && !kept)
		den_call_flow(c, PRS_DEN_FLOW_LOAD, site, rule, place, 0, NULL);
	else
		den_call_flow(c, PRS_DEN_FLOW_TAG, place ? site : NULL, rule,
			      den_call_word(c->call, tag_of(c, value)), place, NULL);
}

/* May what @load reads have changed till @at, which is behind it?  In another block: it may. */
static bool changed(gimple *load, gimple *at)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(load);
	ao_ref ref;

	if (load == at)
		return false;
	ao_ref_init(&ref, gimple_assign_rhs1(load));
	for (gsi_next(&gsi); !gsi_end_p(gsi) && gsi_stmt(gsi) != at; gsi_next(&gsi))
		if (gimple_vdef(gsi_stmt(gsi)) && !den_writes_errno(gsi_stmt(gsi)) &&
		    stmt_may_clobber_ref_p_1(gsi_stmt(gsi), &ref))
			return true;
	return gsi_end_p(gsi);
}

/* Statements about the leaf @value of the expression at @v go to h->c->seq. */
static void look_at_leaf(struct here *h, const struct den_visit *v, tree value, unsigned lane,
			 struct den_leaf *leaf)
{
	struct den_count *c = h->c;
	gimple *load = den_flow_is_load(value) ? SSA_NAME_DEF_STMT(value) : NULL;

	leaf->is = as_count(c, test_lane(c, value, lane, h->lanes));
	leaf->address = leaf->tag = NULL_TREE;
	if (load)
		leaf->address = address_of(&c->seq, gimple_assign_rhs1(load),
					   den_lanes(TREE_TYPE(value)) == h->lanes ? lane : 0);
	if (!leaf->address || (v->store ? den_flow_overwritten(load, v->store) : changed(load, v->at)))
		leaf->tag = tag_of(c, value);
}

static bool leaf_here(struct den_visit *v, tree value, const struct den_mark *m, unsigned lane)
{
	struct here *h = (struct here *)v->more;
	struct den_count *c = h->c;
	struct den_leaf leaf;
	tree site;

	if (c->call) {
		leaf_called(h, value, m, lane,
			    den_flow_is_load(value) &&
				    (v->store ? den_flow_overwritten(SSA_NAME_DEF_STMT(value), v->store)
					      : changed(SSA_NAME_DEF_STMT(value), v->at)));
		return true;
	}
	look_at_leaf(h, v, value, lane, &leaf);
	site = m ? den_site_address(m->site) : NULL_TREE;
	if (!leaf.tag) {
		tree args[] = {site, leaf.address, NULL_TREE, leaf.is, NULL_TREE};

		den_flow_call(&c->seq, PRS_DEN_FLOW_LOAD, args, NULL);
	} else {
		tree args[] = {leaf.address ? site : NULL_TREE, leaf.tag, NULL_TREE, leaf.is, leaf.address};

		den_flow_call(&c->seq, PRS_DEN_FLOW_TAG, args, NULL);
	}
	return true;
}

void den_flow_same(struct den_flow *f, gimple_seq *seq, const struct den_visit *v, tree value,
		   struct den_leaf *leaf)
{
	den_known tests, leaves;
	struct den_count c = {NULL, den_test_here, NULL, &leaves, &tests, NULL, NULL, f, NULL};
	struct here h = {&c, 1, NULL_TREE, vNULL};

	look_at_leaf(&h, v, value, 0, leaf);
	gimple_seq_add_seq_without_update(seq, c.seq);
}

static tree bits_of(struct den_count *c, tree value)
{
	tree type = TREE_TYPE(value);
	unsigned kind;

	if (!den_type(type, &kind) || den_lanes(type) != 1 ||
	    (kind != PRS_DEN_FLOAT && kind != PRS_DEN_DOUBLE))
		return NULL_TREE;
	return as_word(&c->seq, gimple_build(&c->seq, VIEW_CONVERT_EXPR, den_mask_type(type), value));
}

static void store_called(struct here *h, unsigned what, const struct den_mark *m, unsigned lane, tree address)
{
	struct den_count *c = h->c;
	tree is = c->test(c, m->value, lane);
	unsigned bits = h->lanes == 1 ? den_call_bits(c->call, is) : 0;

	den_call_flow(c, what, m->site, den_call_rule(c, NULL, is), den_call_word(c->call, address), bits,
		      &h->births);
	h->births.release();
}

/* A pointer into the array that the store @m, of which nothing is left, was to, or 0. */
static tree somewhere(const struct den_mark *m)
{
	return m->address && !integer_onep(m->address) ? m->address : build_zero_cst(pointer_sized_int_node);
}

void den_flow_here(struct den_count *c, const struct den_mark *m)
{
	gimple *store = m->site->kind == PRS_DEN_STORE && m->value ? den_flow_store_of(m) : NULL;
	unsigned lanes = m->site->kind == PRS_DEN_STORE && m->value ? den_lanes(TREE_TYPE(m->value)) : 0;

	if (lanes && !store)
		store = moved_store(m);
	for (unsigned lane = 0; lane < lanes; lane++) {
		struct here h = {c, lanes, NULL_TREE, vNULL};
		hash_set<tree> seen;
		struct den_visit v = {operation_here, leaf_here, m->stmt, store, &seen, PARTS, &h, true};
		tree address = store ? address_of(&c->seq, stored_to(store, m->value), lane) : NULL_TREE;
		unsigned what = address ? PRS_DEN_FLOW_ONE : PRS_DEN_FLOW_GONE;

		address = address ? address : gimple_convert(&c->seq, pointer_sized_int_node, somewhere(m));
		den_flow_visit(&v, m->value, lane);
		/* The birth of a constant is where it is stored. */
		if (CONSTANT_CLASS_P(m->value) && c->call)
			h.births.safe_push(den_call_rule(c, m->site, c->test(c, m->value, lane)));
		else if (CONSTANT_CLASS_P(m->value))
			h.born = gimple_convert(&c->seq, long_integer_type_node, den_site_address(m->site));
		if (c->call) {
			store_called(&h, what, m, lane, address);
			continue;
		}
		tree args[] = {den_site_address(m->site), address, h.born,
			       as_count(c, c->test(c, m->value, lane)), bits_of(c, m->value)};

		den_flow_call(&c->seq, what, args, NULL);
	}
}

/* ---- copies ---- */

/* What @stmt copies, as addresses and a number of bytes. */
static bool copy_of(gimple *stmt, tree *to, tree *from, tree *bytes)
{
	if (gimple_call_builtin_p(stmt, BUILT_IN_MEMCPY) || gimple_call_builtin_p(stmt, BUILT_IN_MEMMOVE) ||
	    gimple_call_builtin_p(stmt, BUILT_IN_MEMPCPY)) {
		*to = gimple_call_arg(stmt, 0);
		*from = gimple_call_arg(stmt, 1);
		*bytes = gimple_call_arg(stmt, 2);
		return !stmt_ends_bb_p(stmt);
	}
	if (!is_gimple_assign(stmt) || !gimple_assign_single_p(stmt) || gimple_clobber_p(stmt) ||
	    is_gimple_reg_type(TREE_TYPE(gimple_assign_lhs(stmt))) || gimple_has_volatile_ops(stmt))
		return false;
	*to = gimple_assign_lhs(stmt);
	*from = gimple_assign_rhs1(stmt);
	*bytes = TYPE_SIZE_UNIT(TREE_TYPE(*to));
	if (TREE_CODE(*from) == CONSTRUCTOR || TREE_CODE(*from) == STRING_CST || !*bytes ||
	    !tree_fits_uhwi_p(*bytes) || stmt_ends_bb_p(stmt))
		return false;
	return true;
}

/* Is the copy told already, by one of the next statements? */
static bool told_behind(gimple_stmt_iterator gsi)
{
	gsi_next(&gsi);
	for (unsigned i = 0; i < 8 && !gsi_end_p(gsi); i++, gsi_next(&gsi)) {
		gimple *stmt = gsi_stmt(gsi);

		if (asm_den_is_flow(stmt) &&
		    tree_to_uhwi(gimple_call_arg(stmt, 0)) == (unsigned HOST_WIDE_INT)PRS_DEN_FLOW_COPY)
			return true;
	}
	return false;
}

bool den_flow_copies(function *fun)
{
	tree to, from, bytes;
	bool any = false;
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gimple_seq seq = NULL;

		if (!copy_of(gsi_stmt(gsi), &to, &from, &bytes) || told_behind(gsi))
			continue;
		if (!POINTER_TYPE_P(TREE_TYPE(to))) {
			to = address_of(&seq, to, 0);
			from = address_of(&seq, from, 0);
		}
		if (!to || !from)
			continue;
		from = gimple_convert(&seq, pointer_sized_int_node, from);
		to = gimple_convert(&seq, pointer_sized_int_node, to);
		tree args[] = {NULL_TREE, to, NULL_TREE, as_word(&seq, bytes), as_word(&seq, from)};
		den_flow_call(&seq, PRS_DEN_FLOW_COPY, args, NULL);
		gsi_insert_seq_after(&gsi, seq, GSI_NEW_STMT);
		any = true;
	}
	return any;
}

/* ---- tags of values in registers ---- */

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

/* Behind @at, what is in @block is done where @value is denormal; @var: the tag that it has then, or NULL_TREE. */
static void do_behind(struct den_flow *f, gimple *at, tree value, gimple_seq block, tree var)
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
	bool load = den_flow_is_load(value);
	gimple *at = m && !load ? m->stmt : SSA_NAME_DEF_STMT(value);
	den_known tests, leaves;
	struct den_count c = {NULL, den_test_here, NULL, &leaves, &tests, m, NULL, f, NULL};
	struct here h = {&c, den_lanes(TREE_TYPE(value)), NULL_TREE, vNULL};
	hash_set<tree> seen;
	struct den_visit v = {operation_here, leaf_here, at, NULL, &seen, PARTS, &h, true};
	tree tag;

	if (load)
		leaf_here(&v, value, m, 0);
	else
		den_flow_visit(&v, value, 0);
	tree args[] = {m ? den_site_address(m->site) : NULL_TREE, NULL_TREE, h.born,
		       build_one_cst(uint64_type_node), load || !m ? NULL_TREE : bits_of(&c, value)};

	den_flow_call(&c.seq, PRS_DEN_FLOW_KEEP, args, &tag);
	gimple_seq_add_stmt_without_update(&c.seq, gimple_build_assign(var, tag));
	do_behind(f, at, value, c.seq, var);
}

/* Where it is said which tag @value has, @var has it behind that. */
static bool take_said(tree value, tree var)
{
	auto_vec<gimple *, 4> said;
	imm_use_iterator it;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, it, value)
	if (says_tag(USE_STMT(use), value))
		said.safe_push(USE_STMT(use));
	for (unsigned i = 0; i < said.length(); i++) {
		gimple_stmt_iterator gsi = gsi_for_stmt(said[i]);

		gsi_insert_after(&gsi, gimple_build_assign(var, gimple_call_arg(said[i], 1)), GSI_NEW_STMT);
	}
	return said.length();
}

static tree new_tag(struct den_flow *f, tree value)
{
	tree var = create_tmp_reg(uint64_type_node, "origin");

	f->tags.put(value, var);
	f->variables.safe_push(var);
	return var;
}

static tree find_tag(struct den_flow *f, tree value);

/* @value is one of two: @var has the tag of that. */
static void follow_either(struct den_flow *f, gimple *def, tree var)
{
	tree yes = find_tag(f, gimple_assign_rhs2(def)), no = find_tag(f, gimple_assign_rhs3(def));
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
		find_tag(f, gimple_phi_arg_def(phi, i));
}

static tree find_tag(struct den_flow *f, tree value)
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
	if (take_said(value, var))
		return var;
	phi = dyn_cast<gphi *>(def);
	marked = !phi && den_flow_mark_of(value, NULL, &m);
	if ((phi ? !plain_merge(phi) : stmt_ends_bb_p(def) || (!marked && !is_gimple_assign(def))) ||
	    in_clean_loop(def))
		return *f->tags.get(value) = not_followed(value);
	follow(f, value, marked ? &m : NULL, var);
	return var;
}

static tree tag_of(struct den_count *c, tree value)
{
	return c->flow ? find_tag(c->flow, value) : not_followed(value);
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
		     from = find_tag(f, gimple_phi_arg_def(phi, k));

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
	edge behind = split_block(gimple_bb(anchor), anchor);
	gimple_stmt_iterator gsi = gsi_after_labels(behind->dest);
	basic_block bb = behind->src;
	gimple_seq test = NULL;
	tree is = den_test(&test, value, 0, false);

	if (var)
		gsi_insert_before(&gsi, tag_note(value, var), GSI_SAME_STMT);
	gsi = gsi_for_stmt(anchor);
	gsi_insert_seq_before(&gsi, test, GSI_SAME_STMT);
	bb = den_seldom(bb, is);
	gsi = gsi_last_bb(bb);
	gsi_insert_seq_after(&gsi, block, GSI_NEW_STMT);
}

/* ---- values that leave a loop ---- */

/* Is @value, of @loop, used behind it by anything that computes? */
static bool leaves_loop(class loop *loop, tree value)
{
	imm_use_iterator it;
	use_operand_p use;
	unsigned type;

	if (TREE_CODE(value) != SSA_NAME || !den_type(TREE_TYPE(value), &type) ||
	    den_lanes(TREE_TYPE(value)) != 1)
		return false;
	FOR_EACH_IMM_USE_FAST(use, it, value)
	if (!is_gimple_debug(USE_STMT(use)) && !flow_bb_inside_loop_p(loop, gimple_bb(USE_STMT(use))))
		return true;
	return false;
}

void den_flow_leaving(class loop *loop, vec<tree> *values)
{
	basic_block *body = get_loop_body(loop);

	for (unsigned i = 0; i < loop->num_nodes; i++) {
		for (gphi_iterator gsi = gsi_start_phis(body[i]); !gsi_end_p(gsi); gsi_next(&gsi))
			if (leaves_loop(loop, gimple_phi_result(gsi.phi())))
				values->safe_push(gimple_phi_result(gsi.phi()));
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi); gsi_next(&gsi)) {
			tree value = gimple_get_lhs(gsi_stmt(gsi));

			if (value && leaves_loop(loop, value))
				values->safe_push(value);
		}
	}
	free(body);
}

void den_flow_say(struct den_flow *f, edge exit, const vec<tree> *values)
{
	basic_block bb = single_pred_p(exit->dest) ? exit->dest : split_edge(exit);

	for (unsigned i = 0; i < values->length(); i++) {
		gimple_stmt_iterator gsi = gsi_after_labels(bb);

		if (!dominated_by_p(CDI_DOMINATORS, bb, gimple_bb(SSA_NAME_DEF_STMT((*values)[i]))))
			continue;
		gsi_insert_before(&gsi, tag_note((*values)[i], find_tag(f, (*values)[i])), GSI_SAME_STMT);
	}
}

void den_flow_said(function *fun)
{
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi);)
		if (says_tag(gsi_stmt(gsi), NULL_TREE))
			gsi_remove(&gsi, true);
		else
			gsi_next(&gsi);
}

/* ---- stores that are none of the source ---- */

/* A loop that may be vectorised stays as it is. */
static bool store_of_ours(gimple *stmt)
{
	unsigned type;
	tree to;

	if (!is_gimple_assign(stmt) || !gimple_store_p(stmt) || !gimple_assign_single_p(stmt) ||
	    stmt_ends_bb_p(stmt) || TREE_CODE(gimple_assign_rhs1(stmt)) != SSA_NAME)
		return false;
	to = gimple_assign_lhs(stmt);
	class loop *loop = gimple_bb(stmt)->loop_father;

	return den_type(TREE_TYPE(to), &type) && den_lanes(TREE_TYPE(to)) == 1 && !in_clean_loop(stmt) &&
	       !(loop && loop_outer(loop) && !loop->inner && den_vectorisable(loop));
}

void den_flow_stores(struct den_flow *f, function *fun)
{
	static unsigned done; /* function */
	auto_vec<gimple *, 16> stores;
	hash_set<gimple *> marked;
	struct den_mark m;
	basic_block bb;
	bool any = false;

	if (done == DECL_UID(fun->decl))
		return;
	done = DECL_UID(fun->decl);
	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gimple *stmt = gsi_stmt(gsi), *store = NULL;

		if (store_of_ours(stmt))
			stores.safe_push(stmt);
		if (!den_mark_read(stmt, &m))
			continue;
		any = true;
		if (m.site->kind == PRS_DEN_STORE && m.value && !(store = den_flow_store_of(&m)))
			store = moved_store(&m);
		if (store)
			marked.add(store);
	}
	for (unsigned i = 0; any && i < stores.length(); i++) {
		tree value = gimple_assign_rhs1(stores[i]), address;
		gimple_seq seq = NULL;

		if (marked.contains(stores[i]))
			continue;
		address = address_of(&seq, gimple_assign_lhs(stores[i]), 0);
		if (!address)
			continue;
		tree args[] = {NULL_TREE, address, NULL_TREE, build_one_cst(uint64_type_node),
			       find_tag(f, value)};
		den_flow_call(&seq, PRS_DEN_FLOW_SET, args, NULL);
		do_behind(f, stores[i], value, seq, NULL_TREE);
	}
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
