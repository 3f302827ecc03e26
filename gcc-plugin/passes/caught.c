/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An exception leaves calls without their leave probes.  The leave of a call
 * further out drops them, but a thread's start routine, or a call that is only
 * counted that time, has none that comes soon; until then all that happens
 * would seem to happen inside the calls that were left.
 *
 * So a function with a handler remembers how many calls were open when it
 * began, and says so where control comes back to it: its landing pads.  Pads
 * that only clean up inside of a handler's region are among them.
 */
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/passes/caught.h"

/* True if what arrives at @lp may end in a handler of this function. */
static bool leads_to_handler(eh_landing_pad lp)
{
	for (eh_region r = lp->region; r; r = r->outer)
		if (r->type == ERT_TRY || r->type == ERT_ALLOWED_EXCEPTIONS)
			return true;
	return false;
}

/* Where @lp goes on; NULL: it is not used, or goes nowhere in particular. */
static basic_block pad_block(function *fun, eh_landing_pad lp)
{
	if (!lp || !lp->post_landing_pad || !leads_to_handler(lp))
		return NULL;
	return label_to_block(fun, lp->post_landing_pad);
}

static void insert(function *fun, basic_block bb, gimple *probe)
{
	gimple_stmt_iterator gsi = gsi_after_labels(bb);

	gimple_set_location(probe, DECL_SOURCE_LOCATION(fun->decl));
	gsi_insert_before(&gsi, probe, GSI_SAME_STMT);
}

static void probe_begin(function *fun, gimple *probe, bool behind)
{
	edge entry = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun));
	gimple_stmt_iterator gsi;

	if (!behind) {
		insert(fun, split_edge(entry), probe);
		free_dominance_info(CDI_DOMINATORS);
		free_dominance_info(CDI_POST_DOMINATORS);
		return;
	}
	gsi = gsi_last_bb(entry->dest);
	gimple_set_location(probe, DECL_SOURCE_LOCATION(fun->decl));
	gsi_insert_after(&gsi, probe, GSI_SAME_STMT);
}

void caught_probe(function *fun, unsigned site, bool behind)
{
	eh_landing_pad lp;
	gimple *begin = NULL;
	tree depth = NULL_TREE;

	for (unsigned i = 1; fun->eh && vec_safe_iterate(fun->eh->lp_array, i, &lp); i++) {
		basic_block bb = pad_block(fun, lp);

		if (!bb)
			continue;
		if (!begin)
			begin = asm_depth(&depth);
		insert(fun, bb, asm_leave(site, depth));
	}
	if (begin)
		probe_begin(fun, begin, behind);
}
