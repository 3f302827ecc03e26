/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass-call: put a probe on both sides of every call that remains.
 *
 * before                          after
 *     y = fir (x_1, n);               t_2 = enter probe 118 (x_1);   // x_1 is computed before it
 *                                     y = fir (x_1, n);
 *                                     leave probe 118 (t_2);   // on the fall-through edge
 *
 * Runs once per function before "tsan0", at every level, so that it sees the
 * calls that really remain after inlining; under -flto that is in lto1.  The
 * site comes from pass-site by position; copies of one source call share it.
 *
 * Not touched: calls that expand to no call, that return twice or must be tail
 * calls; naked functions, ifunc resolvers, thunks, functions with
 * attribute perseus_no_probe or no_instrument_function.  After a call that does
 * not return there is no leave probe.  The tail flag of a probed call is
 * cleared, since control could not come back to the leave probe otherwise; a
 * copy without probes stays a tail call (tail.c).
 * Everything skipped or changed in this way is listed in .perseus.sites.
 *
 * The expander forwards a value with a single use to that use, so a division in
 * an argument would sink behind the enter probe.  The probe therefore takes such
 * arguments as inputs: they are computed before it, and no longer have one use.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/bodies.h"
#include "perseus/sites.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/passes/caught.h"
#include "gcc-plugin/sites/frame.h"
#include "gcc-plugin/data/locked.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/sites/select.h"
#include "gcc-plugin/sites/sites.h"
#include "gcc-plugin/passes/tail.h"
#include "gcc-plugin/sites/team.h"

#define TIES_MAX 24 /* an asm has at most 30 operands */

/* Values of this type can be inputs of an asm, see asm_enter(). */
static bool can_be_input(tree type)
{
	machine_mode mode = TYPE_MODE(type);

	if (VECTOR_TYPE_P(type))
		return VECTOR_MODE_P(mode) && known_ge(GET_MODE_SIZE(mode), 16) &&
		       targetm.vector_mode_supported_p(mode);
	if (SCALAR_FLOAT_TYPE_P(type))
		return mode == SFmode || mode == DFmode || mode == XFmode || mode == TFmode;
	return (INTEGRAL_TYPE_P(type) || POINTER_TYPE_P(type)) && SCALAR_INT_MODE_P(mode) &&
	       GET_MODE_SIZE(as_a<scalar_int_mode>(mode)) <= 2 * UNITS_PER_WORD;
}

/*
 * Would the computation of @arg move to the call?  The expander does it within
 * a block; a load that is used once the register allocator repeats at its use,
 * from whatever block it comes.
 */
static bool would_sink(tree arg, gcall *call)
{
	gimple *def;

	if (TREE_CODE(arg) != SSA_NAME || SSA_NAME_OCCURS_IN_ABNORMAL_PHI(arg) || !has_single_use(arg))
		return false;
	def = SSA_NAME_DEF_STMT(arg);
	if (!is_gimple_assign(def) || (gimple_bb(def) != gimple_bb(call) && !gimple_assign_load_p(def)))
		return false;
	return can_be_input(TREE_TYPE(arg));
}

/*
 * The address of a thread-local variable is a constant to GIMPLE, and to the
 * machine a load, or a call.  Give it a name before the enter probe.
 */
static tree name_address(gcall *call, unsigned i, gimple_stmt_iterator *gsi)
{
	tree arg = gimple_call_arg(call, i), base, name;
	gassign *assign;

	if (TREE_CODE(arg) != ADDR_EXPR)
		return NULL_TREE;
	base = get_base_address(TREE_OPERAND(arg, 0));
	if (!base || !VAR_P(base) || !DECL_THREAD_LOCAL_P(base))
		return NULL_TREE;
	name = make_ssa_name(TREE_TYPE(arg));
	assign = gimple_build_assign(name, arg);
	gimple_set_location(assign, gimple_location(call));
	gsi_insert_before(gsi, assign, GSI_SAME_STMT);
	gimple_call_set_arg(call, i, name);
	return name;
}

/* The parts of a complex number that is put together for the call. */
static unsigned complex_parts(tree arg, gcall *call, tree *values, unsigned room)
{
	gimple *def = TREE_CODE(arg) == SSA_NAME ? SSA_NAME_DEF_STMT(arg) : NULL;
	unsigned n = 0;

	if (!def || TREE_CODE(TREE_TYPE(arg)) != COMPLEX_TYPE || !is_gimple_assign(def) ||
	    gimple_assign_rhs_code(def) != COMPLEX_EXPR)
		return 0;
	for (unsigned i = 1; i <= 2 && n < room; i++)
		if (would_sink(gimple_op(def, i), call))
			values[n++] = gimple_op(def, i);
	return n;
}

/* Arguments that the enter probe, before which @gsi stands, has to wait for, in values[TIES_MAX]. */
static unsigned arguments_before(gcall *call, gimple_stmt_iterator *gsi, tree *values)
{
	unsigned n = 0;

	for (unsigned i = 0; i < gimple_call_num_args(call) && n < TIES_MAX; i++) {
		tree name = name_address(call, i, gsi), arg = gimple_call_arg(call, i);

		if (name || would_sink(arg, call))
			values[n++] = arg;
		else
			n += complex_parts(arg, call, values + n, TIES_MAX - n);
	}
	update_stmt(call);
	return n;
}

/* The callee's address as a value for the enter probe; NULL_TREE if direct. */
static tree target_of(gcall *call)
{
	tree fn = gimple_call_fn(call);

	if (gimple_call_fndecl(call) || !fn)
		return NULL_TREE;
	if (TREE_CODE(fn) == OBJ_TYPE_REF)
		fn = OBJ_TYPE_REF_EXPR(fn);
	return TREE_CODE(fn) == SSA_NAME ? fn : NULL_TREE;
}

/* Aggregates that go in or come out by value are copied by the call itself. */
static bool copies_aggregates(gcall *call)
{
	tree lhs = gimple_call_lhs(call);

	if (lhs && AGGREGATE_TYPE_P(TREE_TYPE(lhs)))
		return true;
	for (unsigned i = 0; i < gimple_call_num_args(call); i++)
		if (AGGREGATE_TYPE_P(TREE_TYPE(gimple_call_arg(call, i))))
			return true;
	return false;
}

static unsigned flags_of(gcall *call, const char *callee, enum heap_op op)
{
	unsigned flags = 0;

	if (copies_aggregates(call))
		flags |= SITE_STRUCT;
	if (gimple_call_noreturn_p(call))
		flags |= SITE_NORETURN;
	if (gimple_call_tail_p(call))
		flags |= SITE_TAIL;
	if (callee_creates(callee))
		flags |= SITE_CREATE;
	if (callee_waits(callee))
		flags |= SITE_WAIT;
	if (op == HEAP_FREE || op == HEAP_REALLOC || op == HEAP_REALLOC3)
		flags |= SITE_FREE;
	if (op != HEAP_NONE && op != HEAP_FREE)
		flags |= SITE_ALLOC;
	return flags;
}

/* Slot of @call, or -1 if arguments or attributes leave it out: it is listed then. */
static int slot_of(gcall *call, function *fun, const char *callee, enum heap_op op)
{
	unsigned flags = flags_of(call, callee, op), known = sites_n_calls(), slot;
	struct call_fact *fact;
	const char *reason;
	struct locked l;
	struct where w;
	bool near;

	where_is(call, fun, &w);
	fact = where_call(&w, callee, callee_depth(call), &near);
	reason = select_call(call, &w, fact);
	if (reason) {
		sites_skip("call", reason, &w, callee,
			   strcmp(reason, PRS_SR_RULES) ? "-"
			   : fact                       ? fact->site
							: sites_late_id(&w, callee));
		return -1;
	}
	slot = sites_call(&w, fact, callee, flags | (near ? SITE_NEAR : 0));
	for (unsigned i = 0; slot == known && i < LOCKED_ARGS; i++)
		if (locked_describe(call, callee, i, &l))
			sites_locked(slot, i, &l);
	return (int)slot;
}

static tree size_arg(gcall *call, unsigned i)
{
	tree arg = gimple_call_arg(call, i);

	return TREE_CODE(arg) == INTEGER_CST ? fold_convert(size_type_node, arg) : arg;
}

/* Bytes that @call asks for; a product is computed before the call. */
static tree bytes_of(gcall *call, enum heap_op op, gimple_stmt_iterator *gsi)
{
	unsigned first = op == HEAP_REALLOC3 ? 1 : 0;
	gassign *product;

	if (op == HEAP_STRDUP)
		return NULL_TREE;
	if (op == HEAP_ALLOC)
		return size_arg(call, 0);
	if (op == HEAP_ALLOC1 || op == HEAP_REALLOC)
		return size_arg(call, 1);
	if (op == HEAP_MEMALIGN)
		return size_arg(call, 2);
	product = gimple_build_assign(make_ssa_name(size_type_node), MULT_EXPR, size_arg(call, first),
				      size_arg(call, first + 1));
	gsi_insert_before(gsi, product, GSI_SAME_STMT);
	return gimple_assign_lhs(product);
}

static unsigned args_needed(enum heap_op op)
{
	switch (op) {
	case HEAP_REALLOC3:
	case HEAP_MEMALIGN:
		return 3;
	case HEAP_ALLOC1:
	case HEAP_CALLOC:
	case HEAP_REALLOC:
		return 2;
	default:
		return 1;
	}
}

/* Arguments of the types that the function of this name should have. */
static bool well_formed(gcall *call, enum heap_op op)
{
	if (gimple_call_num_args(call) < args_needed(op))
		return false;
	for (unsigned i = 0; i < args_needed(op); i++) {
		tree type = TREE_TYPE(gimple_call_arg(call, i));

		if (!(INTEGRAL_TYPE_P(type) || POINTER_TYPE_P(type)) ||
		    int_size_in_bytes(type) > UNITS_PER_WORD)
			return false;
	}
	return true;
}

static void note_release(gcall *call, unsigned slot, gimple_stmt_iterator *gsi)
{
	gimple *note = asm_note_free(slot, gimple_call_arg(call, 0));

	gimple_set_location(note, gimple_location(call));
	gsi_insert_before(gsi, note, GSI_SAME_STMT);
}

static void note_result(gcall *call, unsigned slot, enum heap_op op, tree bytes, gimple **after)
{
	tree lhs = gimple_call_lhs(call);

	if (op == HEAP_MEMALIGN) {
		if (lhs && TREE_CODE(lhs) == SSA_NAME)
			pass_insert_after(call, asm_note_alloc(slot, gimple_call_arg(call, 0), bytes, lhs),
					  after);
	} else if (lhs && TREE_CODE(lhs) == SSA_NAME && POINTER_TYPE_P(TREE_TYPE(lhs))) {
		pass_insert_after(call, asm_note_alloc(slot, lhs, bytes, NULL_TREE), after);
	}
}

/* The slot that got a probe, -1: none. */
static int probe_call(gcall *call, function *fun, const char *callee, enum heap_op op)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(call);
	int chosen = slot_of(call, fun, callee, op);
	unsigned slot = (unsigned)chosen;
	tree token = NULL_TREE, bytes = NULL_TREE, before[TIES_MAX];
	gimple *after = call, *enter;
	unsigned n;
	bool allocates = op != HEAP_NONE && op != HEAP_FREE, tail = gimple_call_tail_p(call);

	if (chosen < 0)
		return -1;
	gimple_call_set_tail(call, false);
	if (allocates && prs_opt.memory)
		bytes = bytes_of(call, op, &gsi);
	if (prs_opt.memory && (op == HEAP_FREE || op == HEAP_REALLOC || op == HEAP_REALLOC3))
		note_release(call, slot, &gsi);
	if (prs_opt.calls) {
		n = arguments_before(call, &gsi, before);
		enter = asm_enter(slot, target_of(call), before, n, &token);
		gimple_set_location(enter, gimple_location(call));
		gsi_insert_before(&gsi, enter, GSI_SAME_STMT);
		if (!gimple_call_noreturn_p(call))
			pass_insert_after(call, asm_leave(slot, token), &after);
		if (tail && after != call && op == HEAP_NONE)
			tail_split(call, enter, after);
	}
	if (allocates && prs_opt.memory)
		note_result(call, slot, op, bytes, &after);
	return prs_opt.calls ? chosen : -1;
}

static void list_skipped(gimple *call, function *fun, const char *reason)
{
	struct where w;

	where_is(call, fun, &w);
	sites_skip("call", reason, &w, callee_name(as_a<gcall *>(call)), "-");
}

static int consider(gcall *call, function *fun, const char *no_function)
{
	const char *reason = callee_no_probe_reason(call), *callee = callee_name(call);
	enum heap_op op = HEAP_NONE;

	if (reason || no_function) {
		if (!reason || *reason)
			list_skipped(call, fun, reason ? reason : no_function);
		return -1;
	}
	if (prs_opt.memory)
		op = callee_heap_op(callee);
	if (op != HEAP_NONE && !well_formed(call, op))
		op = HEAP_NONE;
	if (prs_opt.memory)
		frame_note(fun, call);
	return prs_opt.calls || op != HEAP_NONE ? probe_call(call, fun, callee, op) : -1;
}

/* The library calls what became of a parallel region: a pair of its own says when. */
static bool enclose_region(function *fun)
{
	struct where w;

	if (!prs_opt.calls || !team_is_region(fun->decl) || select_function(fun))
		return false;
	memset(&w, 0, sizeof(w));
	w.fn = facts_of(fun->decl);
	w.chain = "-";
	team_enclose(fun, sites_call(&w, NULL, w.fn->name, SITE_REGION));
	return true;
}

static unsigned call_execute(function *fun)
{
	const char *no_function = select_impossible(fun);
	auto_vec<gcall *, 64> calls;
	bool enclosed = false;
	int probed = -1;
	basic_block bb;

	gcc_keep_in_place(fun, false);
	if (no_function && !*no_function)
		return 0;
	if (bodies_of(fun->decl) == BODY_PLAIN) {
		sites_aliases(fun->decl);
		return 0;
	}
	sites_skip_function(no_function ? no_function : select_function_reason(fun), fun->decl);
	if (!no_function)
		enclosed = enclose_region(fun);
	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
		if (gcall *call = dyn_cast<gcall *>(gsi_stmt(gsi)))
			calls.safe_push(call);
	for (unsigned i = 0; i < calls.length(); i++) {
		int slot = consider(calls[i], fun, no_function);

		probed = slot >= 0 ? slot : probed;
	}
	if (probed >= 0)
		caught_probe(fun, (unsigned)probed, enclosed);
	gcc_keep_in_place(fun, enclosed || probed >= 0);
	sites_aliases(fun->decl);
	return 0;
}

static const pass_data call_data = {
	GIMPLE_PASS, "perseus-call", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0,
};

namespace
{
class pass_call : public gimple_opt_pass
{
      public:
	pass_call(gcc::context *ctxt) : gimple_opt_pass(call_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return (prs_opt.calls || prs_opt.memory) && !seen_error();
	}
	unsigned int execute(function *fun) final override
	{
		return call_execute(fun);
	}
};
} // namespace

gimple_opt_pass *make_pass_call(gcc::context *ctxt)
{
	return new pass_call(ctxt);
}
