/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass-trigger: put the calls of a plan where it says.
 *
 * before                          after (start; create 1; call 0118 before)
 *     main () {                       main () {
 *                                       perseus_program_start ();
 *                                       perseus_create_1_begin ();
 *       pthread_create (...);           pthread_create (...);
 *                                       perseus_create_end ();
 *                                       perseus_trigger_0118 ();
 *       fir (x);                        fir (x);
 *
 * They are ordinary calls with call-graph edges, declared not to throw.  Runs
 * at the same late place as the probes, so that a plan speaks of the calls that
 * its recording saw: nothing before this pass differs between the two builds.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/triggers.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/choice/plan-file.h"
#include "gcc-plugin/sites/select.h"
#include "gcc-plugin/sites/where.h"

static gcall *build(const char *name)
{
	return gimple_build_call(pass_declared(name), 0);
}

static void add_edge(gcall *call)
{
	cgraph_node *caller = cgraph_node::get(current_function_decl);
	cgraph_node *callee = cgraph_node::get_create(gimple_call_fndecl(call));

	caller->create_edge(callee, call, gimple_bb(call)->count);
}

static void put_before(gimple *call, gcall *trigger)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(call);

	gimple_set_location(trigger, gimple_location(call));
	gsi_insert_before(&gsi, trigger, GSI_SAME_STMT);
	add_edge(trigger);
}

static bool put_after(gcall *call, gcall *trigger, gimple **after)
{
	gimple_call_set_tail(call, false);
	if (!pass_insert_after(call, trigger, after))
		return false;
	add_edge(trigger);
	return true;
}

static void apply(gcall *call, struct plan_line *l, gimple **after)
{
	char name[48];

	l->done++;
	if (l->create) {
		snprintf(name, sizeof(name), PRS_FN_CREATE_BEGIN, l->number);
		put_before(call, build(name));
		put_after(call, build(PRS_FN_CREATE_END), after);
		return;
	}
	snprintf(name, sizeof(name), PRS_TRIGGER_PREFIX "%s", l->number_text);
	if (!l->after)
		put_before(call, build(name));
	else if (!put_after(call, build(name), after))
		error_at(gimple_location(call),
			 "perseus: trigger %s stands after a call that does not return", l->number_text);
}

static void consider(gcall *call, function *fun)
{
	const char *why = callee_no_probe_reason(call);
	struct call_fact *fact;
	struct plan_line *l;
	struct where w;
	char instance[12];
	gimple *after = call;
	unsigned at = 0;
	bool near;

	if (why)
		return;
	where_is(call, fun, &w);
	fact = where_call(&w, callee_name(call), callee_depth(call), &near);
	if (!fact)
		return;
	snprintf(instance, sizeof(instance), "%08x", w.instance);
	while ((l = plan_find(fact->site, instance, &at))) {
		if (!l->done)
			plan_hold(l, w.fn->name, fact->callee, gimple_location(call));
		apply(call, l, &after);
	}
}

static bool is_main(function *fun)
{
	return !strcmp(callee_asm_name(fun->decl), "main") && TREE_PUBLIC(fun->decl);
}

static void start_in(function *fun)
{
	edge e = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun));
	gcall *call = build(PRS_FN_PROGRAM_START);
	bool shared = !single_pred_p(e->dest) || phi_nodes(e->dest) || starts_with_returns_twice(e->dest);
	basic_block bb = shared ? split_edge(e) : e->dest;
	gimple_stmt_iterator gsi = gsi_after_labels(bb);

	gimple_set_location(call, fun->function_start_locus);
	gsi_insert_before(&gsi, call, GSI_SAME_STMT);
	add_edge(call);
	prs_plan.started = true;
}

static unsigned trigger_execute(function *fun)
{
	auto_vec<gcall *, 64> calls;
	basic_block bb;

	if (prs_plan.lines.length() && !select_impossible(fun)) {
		FOR_EACH_BB_FN(bb, fun)
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi))
			if (gcall *call = dyn_cast<gcall *>(gsi_stmt(gsi)))
				calls.safe_push(call);
		for (unsigned i = 0; i < calls.length(); i++)
			consider(calls[i], fun);
	}
	if (prs_plan.start && is_main(fun))
		start_in(fun);
	return 0;
}

static const pass_data trigger_data = {
	GIMPLE_PASS,
	"perseus-trigger",
	OPTGROUP_NONE,
	TV_NONE,
	PROP_cfg | PROP_ssa,
	0,
	0,
	0,
	TODO_update_ssa_only_virtuals,
};

namespace
{
class pass_trigger : public gimple_opt_pass
{
      public:
	pass_trigger(gcc::context *ctxt) : gimple_opt_pass(trigger_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.plan && !seen_error();
	}
	unsigned int execute(function *fun) final override
	{
		return trigger_execute(fun);
	}
};
} // namespace

gimple_opt_pass *make_pass_trigger(gcc::context *ctxt)
{
	return new pass_trigger(ctxt);
}
