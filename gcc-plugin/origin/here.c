/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In the block where a denormal was seen: what is told of it there, by a call each or, with c->call, by numbers. */
#include "gcc-plugin/base/gcc-common.h"
#include "tree-ssa-address.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/denormal/call.h"
#include "gcc-plugin/denormal/count.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/origin/parts.h"

bool den_flow_wanted(void)
{
	return prs_opt.den_mode == PRS_DEN_ORIGIN;
}

void den_flow_call(gimple_seq *seq, unsigned what, const tree *args, tree *result)
{
	gimple_seq_add_stmt_without_update(seq, asm_den_flow(what, args, result));
}

tree den_flow_word(gimple_seq *seq, tree value)
{
	return gimple_convert(seq, uint64_type_node, value);
}

tree den_flow_address(gimple_seq *seq, tree ref, unsigned lane)
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

/* The word with the address that @value, @lane of it, was loaded from; 0: it is not known. */
static unsigned place_of(struct den_count *c, tree value, unsigned lane)
{
	gimple *load = SSA_NAME_DEF_STMT(value);
	unsigned *known = den_call_place(c->call, load, lane);
	tree address;

	if (*known)
		return *known;
	address = den_flow_address(&c->seq, gimple_assign_rhs1(load), lane);
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
			      den_call_word(c->call, den_flow_tag(c->flow, value)), place, NULL);
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
		leaf->address = den_flow_address(&c->seq, gimple_assign_rhs1(load),
						 den_lanes(TREE_TYPE(value)) == h->lanes ? lane : 0);
	if (!leaf->address || (v->store ? den_flow_overwritten(load, v->store) : changed(load, v->at)))
		leaf->tag = den_flow_tag(c->flow, value);
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
	return den_flow_word(&c->seq, gimple_build(&c->seq, VIEW_CONVERT_EXPR, den_mask_type(type), value));
}

tree den_flow_kept(struct den_flow *f, gimple_seq *block, tree value, const struct den_mark *m, gimple *at)
{
	bool load = den_flow_is_load(value);
	den_known tests, leaves;
	struct den_count c = {NULL, den_test_here, NULL, &leaves, &tests, m, NULL, f, NULL};
	struct here h = {&c, den_lanes(TREE_TYPE(value)), NULL_TREE, vNULL};
	hash_set<tree> seen;
	struct den_visit v = {operation_here, leaf_here, at, NULL, &seen, PARTS, c.flow, NULL, &h, true};
	tree tag;

	if (load)
		leaf_here(&v, value, m, 0);
	else
		den_flow_visit(&v, value, 0);
	tree args[] = {m ? den_site_address(m->site) : NULL_TREE, NULL_TREE, h.born,
		       build_one_cst(uint64_type_node), load || !m ? NULL_TREE : bits_of(&c, value)};

	den_flow_call(&c.seq, PRS_DEN_FLOW_KEEP, args, &tag);
	gimple_seq_add_seq_without_update(block, c.seq);
	return tag;
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
		store = den_flow_moved(m);
	for (unsigned lane = 0; lane < lanes; lane++) {
		struct here h = {c, lanes, NULL_TREE, vNULL};
		hash_set<tree> seen;
		struct den_visit v = {operation_here, leaf_here, m->stmt, store, &seen,
				      PARTS,          c->flow,   NULL,    &h,    true};
		tree address = store ? den_flow_address(&c->seq, den_flow_stored_to(store, m->value), lane)
				     : NULL_TREE;
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
