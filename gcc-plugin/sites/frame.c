/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What lies on a stack has no symbol, and no allocator tells of it.  Threads reach a
 * local variable of another function through its address, which that function gave
 * away before the thread began, as a rule.  So in front of a call that may start a
 * thread, by itself or through functions of this unit, there is a note for each
 * variable in scope whose address has escaped: place and size at run time, name, type
 * and declaration in the table.  Such calls are few.
 *
 * before                          after
 *     pthread_create (..., &job);     note 7 (&job, 16 bytes)      // C line 7: job
 *                                     pthread_create (..., &job);
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/sites.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/sites/frame.h"
#include "gcc-plugin/sites/sites.h"
#include "gcc-plugin/base/text.h"

#define CALLS_DEEP 8  /* from a function to the call that starts a thread */
#define VARS_MAX   32 /* of one call */

/* Declarations of the functions through which a thread may start. */
static hash_set<tree> *starting;

struct step {
	cgraph_node *node;
	unsigned depth;
};

/* A constructor of C++ is called by another name than that of its body. */
static tree body_of(tree decl)
{
	cgraph_node *node = cgraph_node::get(decl);

	return node ? node->ultimate_alias_target()->decl : decl;
}

static bool add_callers(cgraph_node *node, void *data)
{
	auto_vec<cgraph_node *> *callers = (auto_vec<cgraph_node *> *)data;

	for (cgraph_edge *e = node->callers; e; e = e->next_caller)
		callers->safe_push(e->caller);
	return false;
}

static void find_starting(void)
{
	auto_vec<step> work;
	cgraph_node *node;

	starting = new hash_set<tree>;
	FOR_EACH_FUNCTION(node)
	if (callee_creates(callee_asm_name(node->decl)))
		work.safe_push(step{node, 0});
	while (!work.is_empty()) {
		auto_vec<cgraph_node *> callers;
		struct step s = work.pop();

		if (starting->add(body_of(s.node->decl)) && !s.node->inlined_to)
			continue;
		if (s.depth < CALLS_DEEP)
			s.node->call_for_symbol_and_aliases(add_callers, &callers, true);
		for (unsigned i = 0; i < callers.length(); i++)
			work.safe_push(step{callers[i], s.depth + 1});
	}
}

static bool may_start(gcall *call)
{
	tree decl = gimple_call_fndecl(call);

	if (!starting)
		find_starting();
	return decl && (callee_creates(callee_asm_name(decl)) || starting->contains(body_of(decl)));
}

/* Can another thread have heard of it? */
static bool reachable(tree var)
{
	struct pt_solution escaped;

	if (!VAR_P(var) || is_global_var(var) || DECL_HARD_REGISTER(var) || !TREE_ADDRESSABLE(var) ||
	    !DECL_NAME(var) || DECL_HAS_VALUE_EXPR_P(var) || !may_be_aliased(var))
		return false;
	if (!DECL_SIZE_UNIT(var) || !tree_fits_shwi_p(DECL_SIZE_UNIT(var)) ||
	    !IN_RANGE(tree_to_shwi(DECL_SIZE_UNIT(var)), 1, INT_MAX))
		return false;
	if (!optimize)
		return true;
	memset(&escaped, 0, sizeof(escaped));
	escaped.escaped = 1;
	escaped.ipa_escaped = flag_ipa_pta != 0;
	return pt_solution_includes(&escaped, var);
}

/* Has it a place on the stack?  Of one that only the debugger's notes are left of the scope still tells. */
static bool is_there(function *fun, tree var)
{
	unsigned i;
	tree other;

	FOR_EACH_LOCAL_DECL(fun, i, other)
	if (other == var)
		return true;
	return false;
}

/* Not yet declared where the call stands: to name it there would change its life. */
static bool comes_later(tree var, gimple *call)
{
	expanded_location at = expand_location(LOCATION_LOCUS(gimple_location(call)));
	expanded_location decl = expand_location(DECL_SOURCE_LOCATION(var));

	return at.file && decl.file && !strcmp(at.file, decl.file) && decl.line > at.line;
}

static tree source_function(tree var, function *fun)
{
	tree origin = DECL_ORIGIN(var);
	tree in = DECL_CONTEXT(origin);

	return in && TREE_CODE(in) == FUNCTION_DECL ? in : fun->decl;
}

static void note_variable(function *fun, gcall *call, tree var)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(call);
	expanded_location loc = expand_location(DECL_SOURCE_LOCATION(var));
	HOST_WIDE_INT bytes = tree_to_shwi(DECL_SIZE_UNIT(var));
	struct where w;
	gimple *note;

	memset(&w, 0, sizeof(w));
	w.fn = facts_of(source_function(var, fun));
	w.chain = "-";
	w.file = text_path(loc.file);
	w.line = loc.line;
	w.col = loc.column;
	/* Less than no bytes: of a frame, not of the heap. */
	note = asm_note_alloc(sites_frame(&w, var), build_fold_addr_expr(var),
			      build_int_cst(ssizetype, -bytes), NULL_TREE);
	gimple_set_location(note, gimple_location(call));
	gsi_insert_before(&gsi, note, GSI_SAME_STMT);
}

/* The variables whose addresses are put into @box in front of @call, in its block. */
static void note_boxed(function *fun, gcall *call, tree box)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(call);
	unsigned n = 0;

	for (gsi_prev(&gsi); !gsi_end_p(gsi) && n < VARS_MAX; gsi_prev(&gsi)) {
		gimple *stmt = gsi_stmt(gsi);
		tree of;

		if (!gimple_assign_single_p(stmt) || get_base_address(gimple_assign_lhs(stmt)) != box ||
		    TREE_CODE(gimple_assign_rhs1(stmt)) != ADDR_EXPR)
			continue;
		of = get_base_address(TREE_OPERAND(gimple_assign_rhs1(stmt), 0));
		if (of && DECL_P(of) && reachable(of)) {
			note_variable(fun, call, of);
			n++;
		}
	}
}

void frame_note(function *fun, gcall *call)
{
	unsigned n = 0;

	if (!may_start(call))
		return;
	/* Of a clone the graph no longer says whom it calls; but it is compiled before those that call it. */
	starting->add(body_of(fun->decl));
	for (tree b = gimple_block(call); b && TREE_CODE(b) == BLOCK; b = BLOCK_SUPERCONTEXT(b))
		for (tree var = BLOCK_VARS(b); var && n < VARS_MAX; var = DECL_CHAIN(var))
			if (auto_var_in_fn_p(var, fun->decl) && reachable(var) && is_there(fun, var) &&
			    !comes_later(var, call)) {
				note_variable(fun, call, var);
				n++;
			}
	/* What OpenMP puts together for its regions is in no scope, and hides what is. */
	for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
		tree arg = gimple_call_arg(call, i);
		tree var = TREE_CODE(arg) == ADDR_EXPR ? TREE_OPERAND(arg, 0) : NULL_TREE;

		if (!var || !VAR_P(var) || !DECL_ARTIFICIAL(var) || !reachable(var))
			continue;
		note_boxed(fun, call, var);
		note_variable(fun, call, var);
	}
}
