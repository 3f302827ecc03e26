/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work between two accesses, told from the final instructions: a sharing run
 * cannot see what is shorter than its own probe.
 *
 * The likely path of the innermost loop round a probe is run several times in a
 * model of a core: each instruction begins when its operands are there and as many
 * have begun before it as the core begins in that time, and takes what the
 * compiler's description of the processor (-mtune) says.  So both a chain from turn
 * to turn and the number of instructions hold it up, and work that another core
 * would do at the same time does not.  What a probed access itself takes is left
 * out: calibration measures that.  A value that goes through a place of the frame
 * comes at once on some processors and at the price of a load on others: two
 * figures.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "df.h"
#include "recog.h"
#include "rtl-iter.h"
#include "gcc-plugin/arch/x86_64/counted.h"
#include "gcc-plugin/arch/x86_64/stubs.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/arch/rounds.h"

#define TURNS        16 /* the second half of them counts */
#define WIDTH        4  /* instructions begun in a cycle, the least of processors since 2006 */
#define LOAD         3 /* a load's part of an instruction's latency, the least in the compiler's descriptions */
#define FORWARD      1 /* cycles that a load takes longer if a store to the same place is under way */
#define LOCKED       8 /* a locked instruction beside another of the same turn: 6 to 20 on processors since 2013 */
#define LATENCY_MOST 100  /* of one instruction: no chain has more */
#define SLOTS_MAX    32   /* places of the frame that are followed */
#define BLOCKS_MAX   4000 /* of a function: a larger one is not looked at */
#define TURNS_INNER  8    /* of a counted loop inside; its others take as long as they do by themselves */
#define PATH_MOST    256  /* blocks: deeper nests of counted loops are of unknown length */
#define OFTEN        2    /* a block is on the path if it runs at every second turn */

static vec<struct round> rounds; /* by memory site */

const struct round *round_of(unsigned site)
{
	static const struct round none = {0, 0, 0, 0, false};

	return site < rounds.length() ? &rounds[site] : &none;
}

/* ---- one instruction ---- */

/* A place of the frame, and when its value is there. */
struct place {
	rtx address;
	unsigned ready;
};

/* The model of a core; times in cycles. */
struct core {
	unsigned reg[FIRST_PSEUDO_REGISTER];
	struct place place[SLOTS_MAX];
	unsigned n_places;
	unsigned begun;  /* instructions, in all */
	unsigned end;    /* of the latest one */
	unsigned locked; /* how many locked ones */
	bool renames;    /* a value that goes through a place of the frame comes at once */
};

static struct place *rounds_place_of(struct core *c, const_rtx mem)
{
	for (unsigned i = 0; i < c->n_places; i++)
		if (rtx_equal_p(c->place[i].address, XEXP(mem, 0)))
			return &c->place[i];
	if (c->n_places == SLOTS_MAX)
		return NULL;
	c->place[c->n_places] = place{XEXP(mem, 0), 0};
	return &c->place[c->n_places++];
}

/* What one instruction does to memory. */
struct effect {
	struct core *core;
	unsigned begins;
	unsigned done;
	bool locked, from_frame;
};

static void note_stored(rtx to, const_rtx, void *data)
{
	struct effect *e = (struct effect *)data;
	struct place *p = MEM_P(to) && counted_in_frame(to) ? rounds_place_of(e->core, to) : NULL;

	if (p)
		p->ready = e->done + (e->core->renames ? 0 : FORWARD);
}

static void look_at_memory(rtx_insn *insn, struct effect *e)
{
	subrtx_iterator::array_type array;
	bool memory = false, own = false;

	FOR_EACH_SUBRTX(iter, array, PATTERN(insn), NONCONST)
	{
		const_rtx x = *iter;

		memory |= MEM_P(x);
		own |= GET_CODE(x) == UNSPEC_VOLATILE;
		if (!MEM_P(x) || !counted_in_frame(x))
			continue;
		struct place *p = rounds_place_of(e->core, x);
		e->from_frame |= p && p->ready;
		if (p && p->ready > e->begins)
			e->begins = p->ready;
	}
	e->locked = memory && own;
}

static unsigned latency_of(rtx_insn *insn)
{
	int n;

	rtx set = single_set(insn);

	/* Renamed, not executed. */
	if (set && REG_P(SET_DEST(set)) && REG_P(SET_SRC(set)))
		return 0;
	if (recog_memoized(insn) < 0)
		return 1;
	n = insn_default_latency(insn);
	return n < 1 ? 1 : n > LATENCY_MOST ? LATENCY_MOST : (unsigned)n;
}

/* The user's assembler: so many instructions, one behind the other. */
static unsigned asm_length(rtx_insn *insn)
{
	rtx body = extract_asm_operands(PATTERN(insn));
	const char *text = body                                   ? ASM_OPERANDS_TEMPLATE(body)
			   : GET_CODE(PATTERN(insn)) == ASM_INPUT ? XSTR(PATTERN(insn), 0)
								  : "";

	return *text ? (unsigned)asm_str_count(text) : 0;
}

static bool is_asm(rtx_insn *insn)
{
	return NONJUMP_INSN_P(insn) &&
	       (GET_CODE(PATTERN(insn)) == ASM_INPUT || asm_noperands(PATTERN(insn)) >= 0);
}

static void run_insn(struct core *c, rtx_insn *insn)
{
	unsigned takes = is_asm(insn) ? asm_length(insn) : latency_of(insn);
	struct effect e = {c, c->begun / WIDTH, 0, false, false};
	df_ref use, def;

	if ((is_asm(insn) && !takes) || GET_CODE(PATTERN(insn)) == USE || GET_CODE(PATTERN(insn)) == CLOBBER)
		return;
	c->begun += is_asm(insn) ? takes : 1;
	FOR_EACH_INSN_USE(use, insn)
	if (DF_REF_REGNO(use) < FIRST_PSEUDO_REGISTER && c->reg[DF_REF_REGNO(use)] > e.begins)
		e.begins = c->reg[DF_REF_REGNO(use)];
	look_at_memory(insn, &e);
	if (e.from_frame && c->renames)
		takes -= takes < LOAD ? takes : LOAD;
	/* As a rule it is the access itself, which calibration prices. */
	e.done = e.begins + (e.locked ? 1 : takes);
	c->locked += e.locked;
	FOR_EACH_INSN_DEF(def, insn)
	if (DF_REF_REGNO(def) < FIRST_PSEUDO_REGISTER && DF_REF_REGNO(def) != SP_REG)
		c->reg[DF_REF_REGNO(def)] = e.done;
	note_stores(insn, note_stored, &e);
	c->end = e.done > c->end ? e.done : c->end;
}

/* ---- a loop ---- */

typedef hash_set<basic_block> block_set;

/* A natural loop; the whole function is one without a header. */
struct nest {
	basic_block header;
	block_set *body;
	unsigned depth;
};

static void flood(block_set *body, basic_block header, basic_block latch)
{
	auto_vec<basic_block, 32> pending;
	edge_iterator ei;
	edge e;

	body->add(header);
	if (!body->add(latch))
		pending.safe_push(latch);
	while (pending.length()) {
		basic_block bb = pending.pop();

		FOR_EACH_EDGE(e, ei, bb->preds)
		if (e->src != ENTRY_BLOCK_PTR_FOR_FN(cfun) && !body->add(e->src))
			pending.safe_push(e->src);
	}
}

static struct nest *nest_of(vec<struct nest> *all, basic_block header)
{
	for (unsigned i = 0; i < all->length(); i++)
		if ((*all)[i].header == header)
			return &(*all)[i];
	all->safe_push(nest{header, new block_set, 0});
	return &all->last();
}

static void find_loops(vec<struct nest> *all)
{
	edge_iterator ei;
	basic_block bb;
	edge e;

	mark_dfs_back_edges();
	FOR_EACH_BB_FN(bb, cfun)
	FOR_EACH_EDGE(e, ei, bb->succs)
	if (e->flags & EDGE_DFS_BACK)
		flood(nest_of(all, e->dest)->body, e->dest, bb);
	for (unsigned i = 0; i < all->length(); i++)
		for (unsigned k = 0; k < all->length(); k++)
			(*all)[i].depth += (*all)[k].body->contains((*all)[i].header);
}

/* What is known of the function that is compiled. */
struct shape {
	vec<struct nest> all;
	vec<const struct nest *> inner; /* by number of the block: the innermost loop round it, NULL: none */
	vec<int> order;                 /* reverse postorder */
};

static void find_inner(struct shape *s)
{
	s->inner.safe_grow_cleared((unsigned)last_basic_block_for_fn(cfun), true);
	for (unsigned i = 0; i < s->order.length(); i++)
		for (unsigned k = 0; k < s->all.length(); k++) {
			const struct nest *n = &s->all[k], **best = &s->inner[(unsigned)s->order[i]];

			if ((!*best || n->depth > (*best)->depth) &&
			    n->body->contains(BASIC_BLOCK_FOR_FN(cfun, s->order[i])))
				*best = n;
		}
}

static bool likely(basic_block bb, basic_block header)
{
	if (!optimize || !bb->count.initialized_p() || !header->count.initialized_p())
		return true;
	return bb->count.apply_scale(OFTEN, 1) >= header->count;
}

static bool is_open(rtx_insn *insn)
{
	bool enter;

	return (CALL_P(insn) && !asm_call_probe(insn, &enter)) || (is_asm(insn) && asm_length(insn));
}

static unsigned run_path(const vec<basic_block> &path, unsigned turns, bool renames)
{
	static struct core c;
	unsigned half = 0, by_width = 0, cycles, locked;
	rtx_insn *insn;

	memset(&c, 0, sizeof(c));
	c.renames = renames;
	for (unsigned t = 0; t < turns; t++) {
		if (t == turns / 2) {
			half = c.end;
			by_width = c.begun;
		}
		for (unsigned i = 0; i < path.length(); i++)
			FOR_BB_INSNS(path[i], insn)
		if (NONDEBUG_INSN_P(insn) && !CALL_P(insn))
			run_insn(&c, insn);
	}
	if (turns == 1)
		return c.begun / WIDTH;
	cycles = (c.end - half) / (turns - turns / 2);
	by_width = (c.begun - by_width) / WIDTH / (turns - turns / 2);
	locked = c.locked > turns ? LOCKED * (c.locked / turns) : 0;
	cycles = cycles > by_width ? cycles : by_width;
	return cycles > locked ? cycles : locked;
}

/* The blocks that one turn of a loop runs, in order, and cycles that it takes besides. */
struct path {
	auto_vec<basic_block, 32> blocks;
	auto_vec<basic_block, 32> own; /* those in no loop inside */
	unsigned more[2];              /* without and with renames */
	bool open;                     /* it holds something of unknown length */
};

static void find_path(const struct nest *n, const struct shape *s, struct path *path);

/* Most turns of the loop round @n come to it. */
static bool entered(const struct nest *n, basic_block outer)
{
	edge_iterator ei;
	edge e;

	FOR_EACH_EDGE(e, ei, n->header->preds)
	if (!n->body->contains(e->src) && likely(e->src, outer))
		return true;
	return false;
}

/* All turns of the loop @n inside of another one. */
static void add_inner(const struct nest *n, const struct shape *s, basic_block outer, struct path *path)
{
	unsigned turns = entered(n, outer) ? counted_turns(n->header, n->body) : 0, rest;
	struct path inner = {};

	if (turns)
		find_path(n, s, &inner);
	rest = turns > TURNS_INNER ? turns - TURNS_INNER : 0;
	path->open |= !turns || inner.open ||
		      path->blocks.length() + inner.blocks.length() * TURNS_INNER > PATH_MOST;
	if (path->open)
		return;
	for (unsigned i = rest; i < turns; i++)
		path->blocks.safe_splice(inner.blocks);
	for (int k = 0; k < 2; k++)
		path->more[k] += turns * inner.more[k] + rest * run_path(inner.blocks, TURNS, k);
}

static void find_path(const struct nest *n, const struct shape *s, struct path *path)
{
	basic_block first = n ? n->header : ENTRY_BLOCK_PTR_FOR_FN(cfun)->next_bb;

	for (unsigned i = 0; i < s->order.length(); i++) {
		basic_block bb = BASIC_BLOCK_FOR_FN(cfun, s->order[i]);
		const struct nest *inner = s->inner[(unsigned)s->order[i]];

		if (bb->index < NUM_FIXED_BLOCKS || (n && !n->body->contains(bb)))
			continue;
		if (inner == n) {
			if (!likely(bb, first))
				continue;
			path->blocks.safe_push(bb);
			path->own.safe_push(bb);
		} else if (!n) {
			path->open = true;
		} else if (bb == inner->header && inner->depth == n->depth + 1) {
			add_inner(inner, s, first, path);
		}
	}
}

/* ---- the probes ---- */

static unsigned count_accesses(const vec<basic_block> &blocks)
{
	unsigned n = 0, sites[STUB_PARTS_MAX];
	rtx_insn *insn;

	for (unsigned i = 0; i < blocks.length(); i++)
		FOR_BB_INSNS(blocks[i], insn)
	if (NONDEBUG_INSN_P(insn))
		n += asm_mem_sites(insn, sites);
	return n;
}

static void note_round(unsigned site, const struct round *r)
{
	struct round *old;

	if (rounds.length() <= site)
		rounds.safe_grow_cleared(site + 1, false);
	old = &rounds[site];
	/* Of copies the one in the deepest loop counts, and then the shortest. */
	if (old->accesses && (old->depth > r->depth || (old->depth == r->depth && old->most <= r->most)))
		return;
	*old = *r;
}

/* Says of all probes whose innermost loop is @n how long it takes. */
static void look_at_loop(const struct nest *n, const struct shape *s)
{
	struct path path = {};
	struct round r = {0, 0, 0, n ? n->depth : 0, !n};
	unsigned sites[STUB_PARTS_MAX];
	rtx_insn *insn;

	find_path(n, s, &path);
	r.open |= path.open;
	r.accesses = count_accesses(path.own);
	if (!r.accesses)
		return;
	r.least = run_path(path.blocks, n ? TURNS : 1, true) + path.more[true];
	r.most = run_path(path.blocks, n ? TURNS : 1, false) + path.more[false];
	for (unsigned i = 0; i < path.blocks.length(); i++)
		FOR_BB_INSNS(path.blocks[i], insn)
	r.open |= NONDEBUG_INSN_P(insn) && is_open(insn);
	for (unsigned i = 0; i < path.own.length(); i++)
		FOR_BB_INSNS(path.own[i], insn)
	if (NONDEBUG_INSN_P(insn))
		for (unsigned k = asm_mem_sites(insn, sites); k--;)
			note_round(sites[k], &r);
}

static unsigned execute_rounds(function *fun)
{
	struct shape s = {vNULL, vNULL, vNULL};
	int n;

	if (n_basic_blocks_for_fn(fun) > BLOCKS_MAX)
		return 0;
	if (!insn_default_latency)
		init_sched_attrs();
	find_loops(&s.all);
	s.order.safe_grow((unsigned)n_basic_blocks_for_fn(fun), true);
	n = pre_and_rev_post_order_compute_fn(fun, NULL, s.order.address(), false);
	s.order.truncate((unsigned)n);
	find_inner(&s);
	look_at_loop(NULL, &s);
	for (unsigned i = 0; i < s.all.length(); i++)
		look_at_loop(&s.all[i], &s);
	for (unsigned i = 0; i < s.all.length(); i++)
		delete s.all[i].body;
	s.all.release();
	s.inner.release();
	s.order.release();
	return 0;
}

static const pass_data rounds_data = {
	RTL_PASS, "perseus-rounds", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0,
};

namespace
{
class pass_rounds : public rtl_opt_pass
{
      public:
	pass_rounds(gcc::context *ctxt) : rtl_opt_pass(rounds_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.memory && !seen_error();
	}
	unsigned int execute(function *fun) final override
	{
		return execute_rounds(fun);
	}
};
} // namespace

rtl_opt_pass *make_pass_rounds(gcc::context *ctxt)
{
	return new pass_rounds(ctxt);
}
