/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A memory probe whose cold part is far away jumps there and back at each
 * access, and lives with the registers that are free there by chance.  So loops
 * that keep such probes get a copy for the runs that watch:
 *
 * before                          after
 *     for (...)                       if (desc.loops)
 *         probe (p[i]), s += p[i];        for (...)
 *                                             in-line probe (p[i]), s += p[i];
 *                                     else
 *                                         for (...)
 *                                             burst probe (p[i]), s += p[i];
 *
 * The second copy is the one that runs in all other runs; what it carries is
 * woken by bursts only, so that they see also a loop that began before them.  The
 * first has no probes for bursts, and looks up once what belongs to the thread.
 *
 * Taken: the outermost loops that turn often, call nothing and are small, so
 * that a short inner loop does not test each time it is entered.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/passes/loops.h"

/* A copy with tests in place is a fifth faster, and adds a hundred bytes for each probe. */
#define STATEMENTS_MAX 60
#define PROBES_MAX     3
#define TURNS_MIN      8

struct weight {
	unsigned statements, probes;
	bool calls;
};

static void weigh_statement(gimple *stmt, struct weight *w)
{
	enum mem_form form;

	if (is_gimple_debug(stmt) || gimple_code(stmt) == GIMPLE_LABEL)
		return;
	if (asm_mem_form(stmt, &form)) {
		w->probes += form == MEM_DIRECT;
		return;
	}
	w->statements++;
	if (is_gimple_call(stmt) && !gimple_call_internal_p(stmt) &&
	    !gimple_call_builtin_p(stmt, BUILT_IN_MD))
		w->calls = true;
	if (gimple_code(stmt) == GIMPLE_ASM && !asm_is_probe(stmt))
		w->calls = true;
}

static bool turns_often(class loop *loop)
{
	profile_count in = loop_preheader_edge(loop)->count(), turn = loop->header->count;

	return in.initialized_p() && turn.initialized_p() && turn >= in.apply_scale(TURNS_MIN, 1);
}

static bool worth_it(class loop *loop)
{
	struct weight w = {0, 0, false};
	basic_block *body;

	if (loop->num_nodes > STATEMENTS_MAX || !turns_often(loop) || optimize_loop_for_size_p(loop) ||
	    !can_duplicate_loop_p(loop))
		return false;
	body = get_loop_body(loop);
	for (unsigned i = 0; i < loop->num_nodes && !w.calls && w.statements <= STATEMENTS_MAX; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi); gsi_next(&gsi))
			weigh_statement(gsi_stmt(gsi), &w);
	free(body);
	return w.probes && w.probes <= PROBES_MAX && !w.calls && w.statements <= STATEMENTS_MAX;
}

static void choose(class loop *loop, vec<class loop *> *chosen)
{
	for (; loop; loop = loop->next) {
		if (worth_it(loop))
			chosen->safe_push(loop);
		else
			choose(loop->inner, chosen);
	}
}

/* Static variables whose address nothing takes but probes: see insert_probe() in pass-mem.c. */
static void note_lent(gimple *stmt, vec<tree> *lent)
{
	enum mem_form form;
	tree ref = asm_mem_form(stmt, &form), base = ref ? get_base_address(ref) : NULL_TREE;

	if (base && VAR_P(base) && is_global_var(base) && !TREE_ADDRESSABLE(base))
		lent->safe_push(base);
}

/* True if the statement is gone, and the iterator one further. */
static bool reform(gimple_stmt_iterator *gsi, tree sharer, vec<tree> *lent)
{
	gimple *old = gsi_stmt(*gsi);
	enum mem_form form;

	if (!asm_mem_form(old, &form))
		return false;
	if (form == MEM_BURST && sharer) {
		gsi_remove(gsi, true);
		return true;
	}
	if (form == MEM_DIRECT) {
		note_lent(old, lent);
		gsi_replace(gsi, asm_mem_reform(old, sharer ? MEM_INLINE : MEM_BURST, sharer), false);
	}
	return false;
}

/* The probes of @loop, the copy that is watched (and has a @sharer) or the other one (NULL_TREE). */
static void reform_all(class loop *loop, tree sharer)
{
	auto_vec<tree, 8> lent;
	basic_block *body = get_loop_body(loop);

	for (unsigned i = 0; i < loop->num_nodes; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi);)
			if (!reform(&gsi, sharer, &lent))
				gsi_next(&gsi);
	for (unsigned i = 0; i < lent.length(); i++)
		TREE_ADDRESSABLE(lent[i]) = 0;
	free(body);
}

static bool split(class loop *loop)
{
	tree watched, sharer;
	gimple *test = asm_enabled(PRS_DESC_LOOPS, &watched);
	basic_block unused;
	class loop *copy;

	gsi_insert_on_edge_immediate(loop_preheader_edge(loop), test);
	initialize_original_copy_tables();
	copy = loop_version(loop,
			    build2(NE_EXPR, boolean_type_node, watched, build_zero_cst(TREE_TYPE(watched))),
			    &unused, profile_probability::unlikely(), profile_probability::likely(),
			    profile_probability::unlikely(), profile_probability::likely(), true);
	free_original_copy_tables();
	if (!copy)
		return false;
	reform_all(copy, NULL_TREE);
	gsi_insert_on_edge_immediate(loop_preheader_edge(loop), asm_sharer(&sharer));
	reform_all(loop, sharer);
	return true;
}

bool loops_split(function *fun)
{
	auto_vec<class loop *, 16> chosen;
	bool changed = false;

	if (!optimize || optimize_debug || fun->calls_setjmp || fun->has_nonlocal_label)
		return false;
	loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
	if (number_of_loops(fun) > 1)
		choose(current_loops->tree_root->inner, &chosen);
	for (unsigned i = 0; i < chosen.length(); i++)
		changed |= split(chosen[i]);
	if (chosen.length())
		update_ssa(TODO_update_ssa);
	loop_optimizer_finalize();
	return changed;
}
