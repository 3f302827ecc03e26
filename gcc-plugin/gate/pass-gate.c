/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perseus-den-gate: a loop in which nothing is denormal costs little.
 *
 * before                          after
 *                                     go = apart && ! raised ();
 *                                 again:
 *                                     bad = 0;
 *     loop with marks                 if (! go) {
 *                                             loop with marks
 *                                             calm ();
 *                                     } else
 *                                             loop; bad |= denormal (root) in each turn
 *                                     if (go && (bad || raised ())) {         (seldom)
 *                                             go = 0;
 *                                             goto again;
 *                                     }
 *
 * raised() is the processor's note that an operand of arithmetic was denormal (DE of MXCSR).  It does not
 * show results of normal operands, nor what is only moved: such values are tested, together.
 * A loop that is run again must store only where it does not load: `apart`.  Else what it stores over is kept
 * before, and put back in front of "goto again" (undo.c).
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/denormal/count.h"
#include "gcc-plugin/denormal/fuse.h"
#include "gcc-plugin/denormal/test.h"
#include "gcc-plugin/denormal/vector.h"
#include "gcc-plugin/origin/flow.h"
#include "gcc-plugin/gate/gate.h"
#include "gcc-plugin/gate/rounds.h"

#define NODES_MAX 16
#define MARKS_MAX 128

struct gate {
	class loop *loop;
	basic_block entry, head, end;
	tree go, bad[2]; /* variables; bad: of 32 and 64 bits, NULL_TREE: none such */
	tree one[2];     /* of 32 and 64 bits, NULL_TREE: not used yet */
	tree hot; /* variable: what raised () will say, as known in loops round it; NULL_TREE: there are none */
	gimple *ask; /* ... and where that is asked */
	tree found;  /* variable, with rounds: has one to be run again? */
	tree apart;  /* ... as of gate_runs_twice() */
	struct gate_rounds rounds;
	struct gate_undo undo;
	bool vector;
};

static bool collect_marks(class loop *loop, vec<den_mark> *marks)
{
	basic_block *body = get_loop_body_in_dom_order(loop);

	for (unsigned i = 0; i < loop->num_nodes; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi); gsi_next(&gsi)) {
			struct den_mark m;

			if (den_mark_read(gsi_stmt(gsi), &m))
				marks->safe_push(m);
		}
	free(body);
	return marks->length() && marks->length() <= MARKS_MAX;
}

/* Single numbers that the vector unit computes, and none that is always denormal. */
static bool suits(const struct den_mark *m)
{
	for (unsigned i = 0; i <= DEN_OPERANDS; i++) {
		tree value = den_mark_about(m, i);

		if (value && (!SCALAR_FLOAT_TYPE_P(TREE_TYPE(value)) || !asm_den_notes(TREE_TYPE(value)) ||
			      TREE_CODE(value) != SSA_NAME))
			return false;
	}
	return true;
}

static bool gate_suits(class loop *loop)
{
	auto_vec<den_mark, 32> marks;
	edge exit = single_exit(loop);
	bool good;

	if (loop->inner || !exit || exit->flags & EDGE_COMPLEX || loop->num_nodes > NODES_MAX ||
	    !loop_preheader_edge(loop) || !optimize_loop_for_speed_p(loop) || !can_duplicate_loop_p(loop))
		return false;
	good = collect_marks(loop, &marks);
	for (unsigned i = 0; good && i < marks.length(); i++)
		good = suits(&marks[i]);
	return good;
}

void gate_assign(gimple_seq *seq, tree to, tree value)
{
	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(to, value));
}

tree gate_read(gimple_seq *seq, tree from)
{
	tree name = make_ssa_name(TREE_TYPE(from));

	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(name, from));
	return name;
}

void gate_append(basic_block bb, gimple_seq seq)
{
	gimple_stmt_iterator gsi = gsi_last_bb(bb);

	gsi_insert_seq_after(&gsi, seq, GSI_NEW_STMT);
}

/* What is tested at a mark of the version without. */
struct tested {
	gimple *mark;
	tree value[1 + DEN_OPERANDS];
	unsigned n;
	vec<tree> result;    /* of arithmetic: the processor is made to look at them */
	vec<gimple *> store; /* ... the store of each, NULL: none */
};

/* Values of @m that the processor does not note; marks of one block share what was @seen. */
static void gate_choose(struct gate *g, const struct den_mark *m, hash_set<tree> *seen, struct tested *t)
{
	gimple *store;

	memset(t, 0, sizeof(*t));
	t->mark = m->stmt;
	for (unsigned i = 0; i <= DEN_OPERANDS; i++) {
		tree value = den_mark_about(m, i);

		if (!value || gate_noted(g->loop, value, gimple_bb(m->stmt)) || seen->add(value))
			continue;
		store = gate_result(value) ? gate_store(value, gimple_bb(m->stmt)) : NULL;
		if (store || (gate_result(value) && !g->vector)) {
			t->result.safe_push(value);
			t->store.safe_push(store);
		} else {
			t->value[t->n++] = value;
		}
	}
}

static tree one_of(struct gate *g, tree type)
{
	tree *one = &g->one[TYPE_PRECISION(type) > 32];
	gimple_seq seq = NULL;

	if (!*one) {
		gimple_seq_add_stmt_without_update(&seq, asm_den_one(type, one));
		gate_append(g->entry, seq);
	}
	return *one;
}

/*
 * Results times 1: that is no change, and raises DE if they are denormal.  The product is stored in place of
 * the result, so that it is needed.
 */
static void test_results(struct gate *g, const struct tested *t)
{
	for (unsigned i = 0; i < t->result.length(); i++) {
		tree type = TREE_TYPE(t->result[i]), same = make_ssa_name(type);
		gimple *store = t->store[i], *product;
		gimple_stmt_iterator gsi = gsi_for_stmt(store ? store : t->mark);

		product = gimple_build_assign(same, MULT_EXPR, t->result[i], one_of(g, type));
		gsi_insert_before(&gsi, product, GSI_SAME_STMT);
		if (store) {
			gimple_assign_set_rhs1(store, same);
			update_stmt(store);
		} else {
			gsi_insert_before(&gsi, asm_den_keep(same), GSI_SAME_STMT);
		}
	}
}

/* In place, which the vectoriser takes along. */
static void test_always(struct gate *g, const struct tested *t)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(t->mark);
	gimple_seq seq = NULL;

	for (unsigned i = 0; i < t->n; i++) {
		tree sign = den_sign(&seq, t->value[i], true);
		tree bad = g->bad[TYPE_PRECISION(TREE_TYPE(sign)) > 32];

		gimple_seq_add_stmt_without_update(&seq, gimple_build_assign(bad, BIT_IOR_EXPR, bad, sign));
	}
	gsi_insert_seq_before(&gsi, seq, GSI_SAME_STMT);
}

/* By a branch that is seldom taken. */
static void test_aside(struct gate *g, const struct tested *t)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(t->mark);
	struct den_any any = {};
	gimple_seq seq = NULL;
	basic_block bb;
	tree is;

	for (unsigned i = 0; i < t->n; i++)
		den_any_add(&any, &seq, t->value[i], 0);
	is = den_any_end(&any, &seq);
	gsi_insert_seq_before(&gsi, seq, GSI_SAME_STMT);
	bb = den_fuse_split(t->mark)->src;
	bb = den_seldom(bb, is);
	seq = NULL;
	gate_assign(&seq, g->bad[0], build_all_ones_cst(uint32_type_node));
	gate_append(bb, seq);
}

static void without_marks(struct gate *g, class loop *version)
{
	auto_vec<den_mark, 32> marks;
	auto_vec<tested, 32> tests;
	hash_set<tree> *seen = NULL;
	basic_block bb = NULL;

	g->loop = version;
	collect_marks(version, &marks);
	for (unsigned i = 0; i < marks.length(); i++) {
		struct tested t;

		if (gimple_bb(marks[i].stmt) != bb) {
			delete seen;
			seen = new hash_set<tree>;
			bb = gimple_bb(marks[i].stmt);
		}
		gate_choose(g, &marks[i], seen, &t);
		tests.safe_push(t);
	}
	delete seen;
	for (unsigned i = 0; i < tests.length(); i++) {
		gimple_stmt_iterator gsi;

		test_results(g, &tests[i]);
		tests[i].result.release();
		tests[i].store.release();
		if (tests[i].n && g->vector)
			test_always(g, &tests[i]);
		else if (tests[i].n)
			test_aside(g, &tests[i]);
		gsi = gsi_for_stmt(tests[i].mark);
		gsi_remove(&gsi, true);
	}
}

/* In front of both versions; what go is at first, as the name in the head by which they are chosen. */
static tree gate_begin(struct gate *g, gimple_seq seq, tree apart)
{
	tree type = uint32_type_node, raised, go, name = make_ssa_name(type);

	if (g->hot) {
		raised = make_ssa_name(type);
		g->ask = gimple_build_assign(raised, build_zero_cst(type));
	} else {
		g->ask = asm_den_raised(&raised);
	}
	gimple_seq_add_stmt_without_update(&seq, g->ask);
	gate_append(g->entry, seq);
	seq = NULL;
	go = gimple_build(&seq, PLUS_EXPR, type, raised, build_minus_one_cst(type));
	/* In rounds, what was denormal in the turn before makes them short; they count if they must. */
	if (g->rounds.used && g->hot)
		go = build_minus_one_cst(type);
	if (apart)
		go = gimple_build(&seq, BIT_AND_EXPR, type, go, apart);
	gate_append(g->entry, seq);
	seq = NULL;
	gimple_seq_add_stmt_without_update(&seq, gimple_build_assign(name, go));
	gate_append(g->head, seq);
	return name;
}

static void ask_again(struct gate *g, gimple_seq *seq)
{
	tree raised;

	if (!g->hot)
		return;
	gimple_seq_add_stmt_without_update(seq, asm_den_raised(&raised));
	gate_assign(seq, g->hot, raised);
}

/* The variables, which become names all at once: that of the head is go's from now on. */
static void use_variables(struct gate *g, tree name)
{
	gimple *head = SSA_NAME_DEF_STMT(name);
	gimple_seq seq = NULL;

	gate_assign(&seq, g->go, gimple_assign_rhs1(head));
	for (int i = 0; i < 2; i++)
		gate_assign(&seq, g->bad[i], build_zero_cst(TREE_TYPE(g->bad[i])));
	gate_append(g->entry, seq);
	gimple_assign_set_rhs1(head, g->go);
	update_stmt(head);
	if (g->rounds.used)
		rounds_begin(&g->rounds, g->loop, g->entry, g->go, gimple_get_lhs(g->ask),
			     g->apart != NULL_TREE);
	if (!g->hot)
		return;
	seq = NULL;
	if (g->rounds.used)
		gate_assign(&seq, g->hot, build_zero_cst(uint32_type_node));
	gate_append(g->entry, seq);
	gimple_assign_set_rhs1(g->ask, g->hot);
	update_stmt(g->ask);
	seq = NULL;
	ask_again(g, &seq);
	gate_append(split_edge(loop_preheader_edge(superloop_at_depth(g->loop, 1))), seq);
}

/* What is known behind the version without: 0, or something was denormal. */
static tree noticed(struct gate *g, gimple_seq *seq)
{
	tree type = uint32_type_node, any = NULL_TREE;

	gimple_seq_add_stmt_without_update(seq, asm_den_raised(&any));
	for (int i = 0; i < 2; i++) {
		tree bad = gate_read(seq, g->bad[i]);

		bad = gimple_build(seq, RSHIFT_EXPR, TREE_TYPE(bad), bad,
				   build_int_cst(integer_type_node, TYPE_PRECISION(TREE_TYPE(bad)) - 1));
		bad = gimple_build(seq, NOP_EXPR, type, bad);
		any = gimple_build(seq, BIT_IOR_EXPR, type, any, bad);
	}
	return any;
}

/* Behind both versions: the way back. */
static void gate_end(struct gate *g)
{
	tree type = uint32_type_node, any, again;
	edge on = single_succ_edge(g->end), back;
	gimple_seq seq = NULL;
	basic_block bb;

	any = noticed(g, &seq);
	again = gimple_build(&seq, BIT_AND_EXPR, type, any, gate_read(&seq, g->go));
	gimple_seq_add_stmt_without_update(
		&seq, gimple_build_cond(NE_EXPR, again, build_zero_cst(type), NULL_TREE, NULL_TREE));
	gate_append(g->end, seq);
	bb = create_empty_bb(g->end);
	add_bb_to_loop(bb, g->end->loop_father);
	on->flags = (on->flags & ~EDGE_FALLTHRU) | EDGE_FALSE_VALUE;
	on->probability = profile_probability::very_likely();
	back = make_edge(g->end, bb, EDGE_TRUE_VALUE);
	back->probability = on->probability.invert();
	bb->count = back->count();
	undo_back(&g->undo, bb);
	seq = NULL;
	gate_assign(&seq, g->go, build_zero_cst(type));
	if (g->hot)
		gate_assign(&seq, g->hot, build_one_cst(type));
	gate_append(bb, seq);
	make_single_succ_edge(bb, g->head, EDGE_FALLTHRU);
}

/* A block behind @bb that is taken if @value is not 0. */
static basic_block aside(basic_block bb, tree value, bool likely)
{
	edge on = single_succ_edge(bb), to;
	basic_block other = create_empty_bb(bb);
	gimple_seq seq = NULL;

	gimple_seq_add_stmt_without_update(
		&seq,
		gimple_build_cond(NE_EXPR, value, build_zero_cst(TREE_TYPE(value)), NULL_TREE, NULL_TREE));
	gate_append(bb, seq);
	add_bb_to_loop(other, bb->loop_father);
	on->flags = (on->flags & ~EDGE_FALLTHRU) | EDGE_FALSE_VALUE;
	to = make_edge(bb, other, EDGE_TRUE_VALUE);
	to->probability = likely ? profile_probability::even() : profile_probability::very_unlikely();
	on->probability = to->probability.invert();
	other->count = to->count();
	return other;
}

/* Behind the version that counts: the flag is cleared, so that the next round can be tried without. */
static void round_counted(struct gate *g, class loop *loop, basic_block exit)
{
	tree type = uint32_type_node, raised, go;
	gimple_seq seq = NULL;

	gimple_seq_add_stmt_without_update(&seq, asm_den_clear());
	gimple_seq_add_stmt_without_update(&seq, asm_den_raised(&raised));
	go = gimple_build(&seq, PLUS_EXPR, type, raised, build_minus_one_cst(type));
	if (g->apart)
		go = gimple_build(&seq, BIT_AND_EXPR, type, go, g->apart);
	gate_assign(&seq, g->go, go);
	gate_assign(&seq, g->found, build_zero_cst(type));
	if (g->hot)
		gate_assign(&seq, g->hot, build_one_cst(type));
	gate_append(exit, seq);
	rounds_behind(&g->rounds, loop, exit, true);
}

/* Behind both: the round again, the next one, or on. */
static void rounds_end(struct gate *g)
{
	tree type = uint32_type_node, more, found;
	basic_block turn, again, over;
	gimple_seq seq = NULL;

	found = gate_read(&seq, g->found);
	gate_append(g->end, seq);
	again = aside(g->end, found, false);
	over = split_edge(EDGE_SUCC(g->end, EDGE_SUCC(g->end, 0)->dest == again));
	seq = NULL;
	rounds_over(&g->rounds, &seq, &more);
	gate_append(over, seq);
	turn = aside(over, more, false);
	make_single_succ_edge(turn, g->head, EDGE_FALLTHRU);
	make_single_succ_edge(again, turn, EDGE_FALLTHRU);
	undo_back(&g->undo, again);
	seq = NULL;
	gate_assign(&seq, g->go, build_zero_cst(type));
	gate_append(again, seq);
	seq = NULL;
	for (int i = 0; i < 2; i++)
		gate_assign(&seq, g->bad[i], build_zero_cst(TREE_TYPE(g->bad[i])));
	gate_append(turn, seq);
}

static void make_rounds(struct gate *g, class loop *loop, class loop *version)
{
	basic_block exit = split_edge(single_exit(version));
	gimple_seq seq = NULL;
	tree any = noticed(g, &seq);

	gate_assign(&seq, g->found, any);
	gate_append(exit, seq);
	rounds_behind(&g->rounds, version, exit, false);
	round_counted(g, loop, split_edge(single_exit(loop)));
	rounds_end(g);
}

/* In mode origin they do unless each denormal is told in the loop. */
static bool rounds_pay(class loop *loop)
{
	auto_vec<den_mark, 32> marks;
	struct den_flow flow;
	bool stores = false;

	if (!den_flow_wanted())
		return true;
	if (!collect_marks(loop, &marks))
		return false;
	for (unsigned i = 0; i < marks.length(); i++)
		stores |= marks[i].site->kind == PRS_DEN_STORE;
	return !stores || den_flow_even(&flow, loop, &marks);
}

/* In rounds or as a whole; false: there is no room for what would have to be kept. */
static bool gate_lengths(struct gate *g, class loop *loop)
{
	unsigned turns = undo_turns(&g->undo);
	tree n = number_of_latch_executions(loop);

	g->rounds.used = turns >= rounds_least() && rounds_suit(loop, g->vector) && rounds_pay(loop);
	g->rounds.most = turns;
	/* What is told of a round wants all that it stored over. */
	g->rounds.longest = den_flow_wanted() ? turns : ~0u;
	return !g->undo.n || g->rounds.used || (n && tree_fits_uhwi_p(n) && tree_to_uhwi(n) < turns);
}

/* At the end of the head, for @loop of @all turns, which is chosen by @go: what the versions store over is kept. */
static void keep_old(struct gate *g, class loop *loop, tree all, tree go)
{
	tree turns = g->rounds.used ? g->rounds.turns : all;
	gimple_seq seq = NULL;

	if (!g->undo.n)
		return;
	undo_keep(&g->undo, g->head, turns, g->rounds.used ? rounds_done(&g->rounds, g->head) : NULL_TREE,
		  den_flow_wanted() ? NULL_TREE : go);
	for (unsigned i = 0; den_flow_wanted() && i < g->undo.n; i++)
		den_flow_old(&seq, g->undo.part[i].at, g->undo.part[i].bytes, g->undo.part[i].copy);
	gate_append(loop_preheader_edge(loop)->src, seq);
}

/* Stores that meet no load and no other store: the vectoriser need not look whether they do. */
static bool stores_once(class loop *loop)
{
	basic_block *body = get_loop_body(loop);
	unsigned stores = 0;

	for (unsigned i = 0; i < loop->num_nodes; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi); gsi_next(&gsi))
			stores += gimple_vdef(gsi_stmt(gsi)) != NULL_TREE;
	free(body);
	return stores == 1;
}

static bool gate_make(class loop *loop, tree *buffer)
{
	struct gate g = {};
	gimple_seq seq = NULL;
	tree apart, go, all = NULL_TREE;
	class loop *version;
	basic_block cond;

	g.undo.buffer = buffer;
	g.vector = den_vectorisable(loop);
	if (!gate_runs_twice(loop, &seq, &apart, &g.undo) || !gate_lengths(&g, loop))
		return false;
	if (!g.rounds.used && g.undo.n)
		all = build_int_cst(uint64_type_node, 1 + tree_to_uhwi(number_of_latch_executions(loop)));
	g.loop = loop;
	g.go = create_tmp_reg(uint32_type_node, "go");
	if (loop_depth(loop) > 1)
		g.hot = create_tmp_reg(uint32_type_node, "hot");
	g.bad[0] = create_tmp_reg(uint32_type_node, "bad");
	g.bad[1] = create_tmp_reg(uint64_type_node, "bad");
	g.entry = split_edge(loop_preheader_edge(loop));
	g.head = split_edge(loop_preheader_edge(loop));
	g.end = split_edge(single_exit(loop));
	g.apart = apart;
	g.found = create_tmp_reg(uint32_type_node, "found");
	go = gate_begin(&g, seq, apart);
	if (g.rounds.used)
		rounds_split(&g.rounds, loop, g.entry, g.head);
	initialize_original_copy_tables();
	version = loop_version(loop, build2(EQ_EXPR, boolean_type_node, go, build_zero_cst(uint32_type_node)),
			       &cond, profile_probability::unlikely(), profile_probability::likely(),
			       profile_probability::unlikely(), profile_probability::likely(), true);
	free_original_copy_tables();
	if (!version)
		return true;
	if (apart && stores_once(version))
		version->safelen = INT_MAX;
	update_ssa(TODO_update_ssa);
	use_variables(&g, go);
	keep_old(&g, loop, all, go);
	without_marks(&g, version);
	if (g.rounds.used) {
		make_rounds(&g, loop, version);
	} else {
		seq = NULL;
		gimple_seq_add_stmt_without_update(&seq, asm_den_calm());
		ask_again(&g, &seq);
		gate_append(split_edge(single_exit(loop)), seq);
		gate_end(&g);
	}
	mark_virtual_operands_for_renaming(cfun);
	free_dominance_info(CDI_DOMINATORS);
	calculate_dominance_info(CDI_DOMINATORS);
	update_ssa(TODO_update_ssa);
	loops_state_set(LOOPS_NEED_FIXUP);
	fix_loop_structure(NULL);
	scev_reset();
	return true;
}

static unsigned gate_execute(function *fun)
{
	auto_vec<int, 16> loops;
	tree buffer = NULL_TREE;
	bool changed = false;

	if (fun->calls_setjmp || fun->has_nonlocal_label)
		return 0;
	calculate_dominance_info(CDI_DOMINATORS);
	den_fuse(fun);
	for (unsigned i = 1; i < number_of_loops(fun); i++)
		if (get_loop(fun, i) && gate_suits(get_loop(fun, i)))
			loops.safe_push((int)i);
	for (unsigned i = 0; i < loops.length(); i++)
		changed |= gate_make(get_loop(fun, loops[i]), &buffer);
	if (changed)
		rewrite_into_loop_closed_ssa(NULL, TODO_update_ssa);
	return changed ? TODO_cleanup_cfg : 0;
}

static const pass_data gate_data = {
	GIMPLE_PASS, "perseus-den-gate", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};

namespace
{
class pass_den_gate : public gimple_opt_pass
{
      public:
	pass_den_gate(gcc::context *ctxt) : gimple_opt_pass(gate_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.denormal && prs_opt.den_mode != PRS_DEN_RESULTS && !seen_error();
	}
	unsigned int execute(function *fun) final override
	{
		return gate_execute(fun);
	}
};
} // namespace

gimple_opt_pass *make_pass_den_gate(gcc::context *ctxt)
{
	return new pass_den_gate(ctxt);
}
