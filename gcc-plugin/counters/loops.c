/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus-den-loops: in innermost loops, marks become sums.
 *
 * before                                  after
 *     for (i = 0; i < n; i++) {               for (i = 0; i < n; i++) {
 *             r = x[i] * y;                           r = x[i] * y;
 *             mark ("mul ...", r, ...);               s -= denormal (r);
 *     }                                       }
 *                                             if (s)                          (seldom)
 *                                                     table ()[7] += s;
 *
 * The sums have the width of the values, so the vectoriser takes them along as
 * reductions.  Of many marks one call counts.  A loop that may be left by anything but its exits keeps its marks.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/denormal/call.h"
#include "gcc-plugin/denormal/count.h"
#include "gcc-plugin/denormal/den-pass.h"
#include "gcc-plugin/denormal/fuse.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/denormal/vector.h"
#include "gcc-plugin/origin/flow.h"
#include "gcc-plugin/counters/first.h"
#include "gcc-plugin/counters/group.h"

#define MARKS_MAX 256

/* A loop with more counters counts by a call: registers do not hold so many sums, and each is code at each exit. */
#define SUMS_MAX 48

/* ... in mode origin, which counts leaves, too: with 48 a finite impulse response took ten times as long. */
#define SUMS_ORIGIN 96

/* What one sum is added to; several if they count one value at one place. */
struct target {
	struct den_site *site;
	unsigned role, operand;
	struct den_mark mark;
	tree place; /* variable: where the last denormal was; NULL_TREE: first_address() tells */
};

struct sum {
	tree name; /* variable, till SSA form is updated */
	tree mask;
	tree value; /* at the exit that is seen to, as 64 bits */
	basic_block bb;
	vec<target> targets;
};

struct counting {
	class loop *loop;
	bool wide; /* sums have 64 bits, whatever the values have */
	vec<sum> sums;
	struct den_flow *flow; /* of mode origin, or NULL */
	struct den_call *call; /* of the function */
	bool called;           /* it counts by a call */
	bool even;             /* with flow: its stores are told behind the loop */
};

static bool collect(class loop *loop, vec<den_mark> *marks)
{
	basic_block *body = get_loop_body_in_dom_order(loop);
	bool good = true;

	for (unsigned i = 0; i < loop->num_nodes && good; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi) && good;
		     gsi_next(&gsi)) {
			struct den_mark m;

			if (den_mark_read(gsi_stmt(gsi), &m))
				marks->safe_push(m);
			else
				good = !den_may_leave(gsi_stmt(gsi));
		}
	free(body);
	return good && marks->length() && marks->length() <= MARKS_MAX;
}

/* All exits are edges that can be split. */
static bool ends_well(class loop *loop)
{
	auto_vec<edge> exits = get_loop_exit_edges(loop);
	unsigned i;
	edge e;

	FOR_EACH_VEC_ELT(exits, i, e)
	if (e->flags & (EDGE_COMPLEX | EDGE_FAKE))
		return false;
	return exits.length() && loop_preheader_edge(loop);
}

/* Where a statement about @value may stand first: behind what defines it, or in front of the loop. */
static gimple_stmt_iterator behind(class loop *loop, tree value, bool *after)
{
	gimple *def = SSA_NAME_DEF_STMT(value);

	*after = true;
	if (SSA_NAME_IS_DEFAULT_DEF(value) || !flow_bb_inside_loop_p(loop, gimple_bb(def)))
		return gsi_last_bb(loop_preheader_edge(loop)->src);
	if (gimple_code(def) != GIMPLE_PHI)
		return gsi_for_stmt(def);
	*after = false;
	return gsi_after_labels(gimple_bb(def));
}

static tree test_behind(struct den_count *c, tree value, unsigned lane)
{
	struct counting *k = (struct counting *)c->more;
	uint64_t key = ((uint64_t)(uintptr_t)value << 6) + lane + 2;
	tree *known = c->tests->get(key), mask;
	gimple_stmt_iterator gsi;
	gimple_seq seq = NULL;
	bool after;

	if (known)
		return *known;
	mask = den_test(&seq, value, lane, true);
	if (TREE_CODE(value) == SSA_NAME) {
		gsi = behind(k->loop, value, &after);
		if (after)
			gsi_insert_seq_after(&gsi, seq, GSI_NEW_STMT);
		else
			gsi_insert_seq_before(&gsi, seq, GSI_SAME_STMT);
	} else {
		gimple_seq_add_seq(&c->seq, seq);
	}
	c->tests->put(key, mask);
	return mask;
}

/* The sum of @mask at the place of the current mark; a new one begins with 0 in front of the loop. */
static struct sum *sum_of(struct counting *k, tree mask, basic_block bb, bool *fresh)
{
	basic_block before = loop_preheader_edge(k->loop)->src;
	gimple_stmt_iterator gsi = gsi_last_bb(before);
	gimple *begin;

	*fresh = false;
	for (unsigned i = 0; i < k->sums.length(); i++)
		if (k->sums[i].mask == mask && k->sums[i].bb == bb)
			return &k->sums[i];
	*fresh = true;
	struct sum s = {create_tmp_reg(TREE_TYPE(mask), "denormals"), mask, NULL_TREE, bb, vNULL};
	begin = gimple_build_assign(s.name, build_zero_cst(TREE_TYPE(mask)));
	gsi_insert_after(&gsi, begin, GSI_NEW_STMT);
	k->sums.safe_push(s);
	return &k->sums.last();
}

/* The address of @m's array as the loop begins; NULL_TREE: not known. */
static tree first_address(struct counting *k, const struct den_mark *m)
{
	affine_iv iv;

	if (!m->address || integer_onep(m->address) || is_gimple_min_invariant(m->address))
		return m->address;
	if (SSA_NAME_IS_DEFAULT_DEF(m->address) ||
	    !flow_bb_inside_loop_p(k->loop, gimple_bb(SSA_NAME_DEF_STMT(m->address))))
		return m->address;
	if (!simple_iv(k->loop, k->loop, m->address, &iv, true) || tree_contains_chrecs(iv.base, NULL))
		return NULL_TREE;
	return iv.base;
}

/* Does @address lie in one array as long as the loop runs: is it a fixed pointer, or one that goes on evenly, and an index? */
static bool in_one_array(struct counting *k, tree address)
{
	affine_iv iv;

	while (TREE_CODE(address) == SSA_NAME && is_gimple_assign(SSA_NAME_DEF_STMT(address)) &&
	       flow_bb_inside_loop_p(k->loop, gimple_bb(SSA_NAME_DEF_STMT(address)))) {
		gimple *def = SSA_NAME_DEF_STMT(address);
		enum tree_code code = gimple_assign_rhs_code(def);

		if (code != POINTER_PLUS_EXPR && code != SSA_NAME && !CONVERT_EXPR_CODE_P(code))
			break;
		address = gimple_assign_rhs1(def);
	}
	return POINTER_TYPE_P(TREE_TYPE(address)) && simple_iv(k->loop, k->loop, address, &iv, true);
}

/* The variable that remembers @address; 0 in front of the loop. */
static tree place_for(struct counting *k, tree address)
{
	gimple_stmt_iterator gsi = gsi_last_bb(loop_preheader_edge(k->loop)->src);
	tree place;

	for (unsigned i = 0; i < k->sums.length(); i++)
		for (unsigned t = 0; t < k->sums[i].targets.length(); t++)
			if (k->sums[i].targets[t].place && k->sums[i].targets[t].mark.address == address)
				return k->sums[i].targets[t].place;
	place = create_tmp_reg(ptr_type_node, "denormal");
	gsi_insert_after(&gsi, gimple_build_assign(place, null_pointer_node), GSI_NEW_STMT);
	return place;
}

/*
 * The array of a load or store whose addresses do not go on evenly, as in a delay line: @t remembers where the last
 * denormal was, if all lie in one array; else each is told.
 */
static void note_place(struct den_count *c, struct target *t, tree mask)
{
	struct counting *k = (struct counting *)c->more;
	tree address = t->mark.address, count;

	if (!address || t->role != PRS_DEN_RESULT || first_address(k, &t->mark))
		return;
	if (!in_one_array(k, address)) {
		count = gimple_build(&c->seq, NEGATE_EXPR, uint64_type_node, mask);
		den_table_array(&c->seq, &t->mark, address, count);
		return;
	}
	t->place = place_for(k, address);
	/* In a block that is run for other denormals, too; but it is the same array. */
	address = gimple_convert(&c->seq, ptr_type_node, address);
	gimple_seq_add_stmt_without_update(&c->seq, gimple_build_assign(t->place, address));
}

static void add_up(struct den_count *c, struct den_site *site, unsigned role, unsigned operand, tree mask)
{
	struct counting *k = (struct counting *)c->more;
	struct target t = {site, role, operand, *c->mark, NULL_TREE};
	struct sum *s;
	bool fresh;

	if (TREE_CODE(mask) == INTEGER_CST && integer_zerop(mask))
		return;
	if (k->wide) {
		mask = den_widen(&c->seq, mask, uint64_type_node);
		note_place(c, &t, mask);
	}
	s = sum_of(k, mask, gimple_bb(c->mark->stmt), &fresh);
	s->targets.safe_push(t);
	if (fresh) {
		gimple *add = gimple_build_assign(s->name, MINUS_EXPR, s->name, mask);

		gimple_seq_add_stmt_without_update(&c->seq, add);
	}
}

/* What @s is at the end of @seq, as 64 bits. */
static tree value_of(gimple_seq *seq, const struct sum *s)
{
	tree value = make_ssa_name(uint64_type_node);
	enum tree_code code = TYPE_PRECISION(TREE_TYPE(s->name)) == 64 ? VAR_DECL : NOP_EXPR;

	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(value, code, s->name));
	return value;
}

/* Whether the loop may have had so many turns that sums of 32 bits wrapped, as a 64-bit number; NULL_TREE: never. */
static tree wrapped(struct counting *k, gimple_seq *seq)
{
	tree n = number_of_latch_executions(k->loop), is;
	gimple_seq own = NULL;
	widest_int most;

	if (k->wide || !n || chrec_contains_undetermined(n) || TYPE_PRECISION(TREE_TYPE(n)) <= 32 ||
	    (max_loop_iterations(k->loop, &most) && wi::ltu_p(most, HOST_WIDE_INT_C(0xfffffffe))))
		return NULL_TREE;
	n = force_gimple_operand(unshare_expr(fold_convert(uint64_type_node, n)), &own, true, NULL_TREE);
	gimple_seq_add_seq_without_update(seq, own);
	is = gimple_build(seq, GT_EXPR, boolean_type_node, n, build_int_cst(uint64_type_node, 0xfffffffe));
	return gimple_build(seq, NOP_EXPR, uint64_type_node, is);
}

static void flush_wrapped(const struct sum *s, gimple_seq *seq, tree table, tree is)
{
	for (unsigned i = 0; is && i < s->targets.length(); i++)
		if (s->targets[i].role == PRS_DEN_RESULT && TYPE_PRECISION(TREE_TYPE(s->name)) == 32)
			den_table_add(seq, table, den_slot(s->targets[i].site, PRS_DEN_WRAPPED, 0), is);
}

static void flush_sum(struct counting *k, struct sum *s, gimple_seq *seq, tree table)
{
	for (unsigned i = 0; i < s->targets.length(); i++) {
		struct target *t = &s->targets[i];
		tree address = t->role == PRS_DEN_RESULT ? first_address(k, &t->mark) : NULL_TREE;

		den_table_add(seq, table, den_slot(t->site, t->role, t->operand), s->value);
		if (t->place) {
			address = make_ssa_name(ptr_type_node);
			gimple_seq_add_stmt_without_update(seq, gimple_build_assign(address, t->place));
		}
		if (!address)
			continue;
		gimple_seq own = NULL;

		address = force_gimple_operand(unshare_expr(address), &own, true, NULL_TREE);
		gimple_seq_add_seq_without_update(seq, own);
		den_call_part(k->call, PRS_DEN_TOLD_ARRAY, t->site,
			      integer_onep(address) ? NULL_TREE : address, s->value, NULL_TREE);
	}
}

/* How many values of @site were born in the loop. */
static tree births_of(void *more, const struct den_site *site)
{
	struct counting *k = (struct counting *)more;

	for (unsigned i = 0; i < k->sums.length(); i++)
		for (unsigned t = 0; t < k->sums[i].targets.length(); t++)
			if (k->sums[i].targets[t].site == site && k->sums[i].targets[t].role == PRS_DEN_BIRTH)
				return k->sums[i].value;
	return NULL_TREE;
}

static void flush_flows(struct counting *k, gimple_seq *seq, const vec<den_mark> *marks)
{
	if (!k->even)
		return;
	den_flow_begin(k->loop, k->call);
	for (unsigned i = 0; i < marks->length(); i++)
		if ((*marks)[i].site->kind == PRS_DEN_STORE)
			den_flow_behind(k->flow, k->call, seq, k->loop, &(*marks)[i], births_of, k);
}

static void flush_at(struct counting *k, edge exit, const vec<den_mark> *marks)
{
	basic_block bb = split_edge(exit);
	gimple_stmt_iterator gsi;
	gimple_seq seq = NULL;
	tree over = wrapped(k, &seq), any = over, table;

	for (unsigned i = 0; i < k->sums.length(); i++) {
		tree s = k->sums[i].value = value_of(&seq, &k->sums[i]);

		any = any ? gimple_build(&seq, BIT_IOR_EXPR, uint64_type_node, any, s) : s;
	}
	gsi = gsi_last_bb(bb);
	gsi_insert_seq_after(&gsi, seq, GSI_NEW_STMT);
	bb = den_seldom(bb, any);
	seq = NULL;
	table = den_table(&seq);
	for (unsigned i = 0; i < k->sums.length(); i++) {
		flush_sum(k, &k->sums[i], &seq, table);
		flush_wrapped(&k->sums[i], &seq, table, over);
	}
	flush_flows(k, &seq, marks);
	den_call_told(k->call, &seq);
	gsi = gsi_last_bb(bb);
	gsi_insert_seq_after(&gsi, seq, GSI_NEW_STMT);
}

static void count_mark(struct den_count *c, const struct den_mark *m)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(m->stmt);

	c->seq = NULL;
	c->mark = m;
	den_count(c, m);
	gsi_insert_seq_before(&gsi, c->seq, GSI_SAME_STMT);
}

/* Additions in place, which the vectoriser takes along. */
static void count_always(struct counting *k, const vec<den_mark> *marks)
{
	den_known leaves, tests;
	struct den_count c = {NULL, test_behind, add_up, &leaves, &tests, NULL, k, NULL, NULL};

	for (unsigned i = 0; i < marks->length(); i++)
		count_mark(&c, &(*marks)[i]);
}

/* Additions behind a branch: a loop that stays scalar has few registers. */
static void count_seldom(struct counting *k, const vec<den_mark> *marks)
{
	struct den_count c = {NULL,
			      NULL,
			      add_up,
			      NULL,
			      NULL,
			      NULL,
			      k,
			      k->even ? NULL : k->flow,
			      k->called ? k->call : NULL};
	unsigned end;

	for (unsigned i = 0; i < marks->length(); i = end) {
		end = den_group_end(marks, i);
		den_group_count(&c, marks, i, end);
	}
}

/* Stores that are not told behind the loop are told in it, which then stays scalar. */
static bool stores(const vec<den_mark> *marks)
{
	bool any = false;

	for (unsigned i = 0; i < marks->length() && !any; i++)
		any = (*marks)[i].site->kind == PRS_DEN_STORE;
	return any;
}

static void count_loop(class loop *loop, vec<den_mark> *marks, struct den_flow *flow, struct den_call *call)
{
	bool vector = den_vectorisable(loop);
	bool called = den_counters(marks, 0, marks->length()) > (flow ? SUMS_ORIGIN : SUMS_MAX);
	bool even = !called && flow && den_flow_even(flow, loop, marks);
	struct counting k = {
		loop, called || !vector || (flow && !even && stores(marks)), vNULL, flow, call, called, even};
	unsigned i;
	edge e;

	den_group_places(marks);
	if (flow && !even)
		den_flow_begin(loop, NULL);
	if (k.wide)
		count_seldom(&k, marks);
	else
		count_always(&k, marks);
	auto_vec<edge> exits = get_loop_exit_edges(loop);
	FOR_EACH_VEC_ELT(exits, i, e)
	if (k.sums.length())
		flush_at(&k, e, marks);
	/* It may be vectorised only as long as no tag goes round. */
	if (flow && k.wide) {
		auto_vec<tree, 8> values;

		den_flow_leaving(loop, &values);
		FOR_EACH_VEC_ELT(exits, i, e)
		den_flow_say(flow, e, &values);
	}
	for (i = 0; i < marks->length(); i++) {
		gimple_stmt_iterator gsi = gsi_for_stmt((*marks)[i].stmt);

		gsi_remove(&gsi, true);
	}
	if (flow)
		den_flow_counted(flow, loop);
	for (i = 0; i < k.sums.length(); i++)
		k.sums[i].targets.release();
	k.sums.release();
}

static unsigned loops_execute(function *fun)
{
	struct den_flow flow;
	struct den_call call = {};
	bool changed = false;

	if (fun->calls_setjmp || fun->has_nonlocal_label)
		return 0;
	calculate_dominance_info(CDI_DOMINATORS);
	den_fuse(fun);
	if (den_flow_wanted() && den_is_first_pass()) {
		den_flow_stores(&flow, fun);
		changed = flow.kept.length();
	}
	for (unsigned i = 1; i < number_of_loops(fun); i++) {
		auto_vec<den_mark, 32> marks;
		class loop *loop = get_loop(fun, i);

		if (!loop || loop->inner || !collect(loop, &marks) || !ends_well(loop))
			continue;
		count_loop(loop, &marks, den_flow_wanted() ? &flow : NULL, &call);
		changed = true;
	}
	den_flow_end(&flow);
	den_call_finish(&call);
	if (!changed)
		return 0;
	den_site_loops(fun->decl);
	scev_reset();
	if (loops_state_satisfies_p(LOOP_CLOSED_SSA))
		rewrite_into_loop_closed_ssa(NULL, TODO_update_ssa);
	else
		update_ssa(TODO_update_ssa);
	return 0;
}

static const pass_data loops_data = {
	GIMPLE_PASS, "perseus-den-loops", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};

namespace
{
class pass_den_loops : public gimple_opt_pass
{
      public:
	pass_den_loops(gcc::context *ctxt) : gimple_opt_pass(loops_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.denormal && !seen_error();
	}
	unsigned int execute(function *fun) final override
	{
		return loops_execute(fun);
	}
};
} // namespace

gimple_opt_pass *make_pass_den_loops(gcc::context *ctxt)
{
	return new pass_den_loops(ctxt);
}
