/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A memory probe that sleeps still tests the descriptor, keeps a register free
 * and stops the scheduler; in a loop over pixels that makes a program 1.7 times
 * slower.  So loops get a copy without probes:
 *
 * before                          after
 *     for (...)                       if (desc.dir)
 *         s += p[i];                      for (...)
 *                                             memory probe (p[i]), s += p[i];
 *                                     else
 *                                         for (...)
 *                                             s += p[i];
 *
 * Taken: the outermost loops that call nothing and are not large, so that a
 * short inner loop does not test each time it is entered.  Should the runtime go
 * to sleep in the middle, the probes of the first copy see it: they keep their
 * own test.  Should it wake up, the second copy stays silent to its end.
 */
#include "gcc-common.h"
#include "gcc-plugin/access.h"
#include "gcc-plugin/asm-x86.h"
#include "gcc-plugin/loops.h"

#define STATEMENTS_MAX 300

struct weight {
	unsigned statements, probes;
	bool calls;
};

static void weigh_statement(gimple *stmt, struct weight *w)
{
	struct mem_access acc[ACCESS_MAX];
	unsigned n;

	if (is_gimple_debug(stmt) || gimple_code(stmt) == GIMPLE_LABEL)
		return;
	w->statements++;
	if (is_gimple_call(stmt) && !gimple_call_internal_p(stmt) &&
	    !gimple_call_builtin_p(stmt, BUILT_IN_MD))
		w->calls = true;
	if (gimple_code(stmt) == GIMPLE_ASM)
		w->calls = true;
	n = access_collect(stmt, acc);
	for (unsigned i = 0; i < n; i++)
		if (!access_skip_reason(&acc[i]))
			w->probes++;
}

static bool worth_it(class loop *loop)
{
	struct weight w = {0, 0, false};
	basic_block *body;

	if (loop->num_nodes > STATEMENTS_MAX || optimize_loop_for_size_p(loop) || !can_duplicate_loop_p(loop))
		return false;
	body = get_loop_body(loop);
	for (unsigned i = 0; i < loop->num_nodes && !w.calls && w.statements <= STATEMENTS_MAX; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi); gsi_next(&gsi))
			weigh_statement(gsi_stmt(gsi), &w);
	free(body);
	return w.probes && !w.calls && w.statements <= STATEMENTS_MAX;
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

static void note_blocks(class loop *loop, bitmap into)
{
	basic_block *body = get_loop_body(loop);

	for (unsigned i = 0; i < loop->num_nodes; i++)
		bitmap_set_bit(into, body[i]->index);
	free(body);
}

static bool split(class loop *loop, bitmap asleep, bitmap awake)
{
	tree watched;
	gimple *test = asm_awake(&watched);
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
	note_blocks(copy, asleep);
	note_blocks(loop, awake);
	return true;
}

bool loops_split(function *fun, bitmap asleep, bitmap awake)
{
	auto_vec<class loop *, 16> chosen;
	bool changed = false;

	if (!optimize || optimize_debug || fun->calls_setjmp || fun->has_nonlocal_label)
		return false;
	loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
	if (number_of_loops(fun) > 1)
		choose(current_loops->tree_root->inner, &chosen);
	for (unsigned i = 0; i < chosen.length(); i++)
		changed |= split(chosen[i], asleep, awake);
	if (chosen.length())
		update_ssa(TODO_update_ssa);
	loop_optimizer_finalize();
	return changed;
}
