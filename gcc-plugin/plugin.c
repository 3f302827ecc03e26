/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The back end of perseus.so for one version of GCC: where its passes stand.
 *
 *   perseus-region -> lowering   the source's statements, as the front end gives them
 *   ssa -> perseus-site          early, in the compiler proper: names every
 *                                call and access before optimisation
 *   perseus-units -> whole-program  units of a link with -flto, for a plan with layouts
 *   simdclone -> perseus-bodies  last of the IPA passes: second bodies
 *             -> perseus-layouts sections of variables that get lines of their own
 *   perseus-range -> ifcvt       in the loop optimizers, from -O1 on
 *   perseus-mem, perseus-trigger, perseus-call -> tsan0
 *                                late, at all levels; under -flto in lto1
 *   perseus-spare -> *free_cfg   last RTL pass that knows the flow
 *   *free_cfg -> perseus-entry   entries of plain bodies
 *   the end of the unit          .perseus.sites, descriptor, stubs
 *
 * Written in the C subset of C++: GCC's own headers do not compile as C.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/base/bodies.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/base/traces.h"
#include "gcc-plugin/base/warn.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/choice/plan-file.h"
#include "gcc-plugin/choice/rules-file.h"
#include "gcc-plugin/copies/copy.h"
#include "gcc-plugin/counters/first.h"
#include "gcc-plugin/denormal/den-pass.h"
#include "gcc-plugin/denormal/den-site.h"
#include "gcc-plugin/denormal/mark.h"
#include "gcc-plugin/gate/gate.h"
#include "gcc-plugin/guard/guard.h"
#include "gcc-plugin/layouts/layouts.h"
#include "gcc-plugin/sites/select.h"
#include "gcc-plugin/sites/facts.h"
#include "gcc-plugin/sites/lto-mark.h"
#include "gcc-plugin/sites/sites.h"

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;
extern "C" __attribute__((visibility("default"))) int perseus_init(struct plugin_name_args *args,
								   struct plugin_gcc_version *gcc);

static struct plugin_info info = {PERSEUS_VERSION, options_help};

static void finish_unit(void *, void *)
{
	uint64_t id;

	if (!asm_out_file || flag_wpa || seen_error())
		return;
	plan_check_unit();
	layouts_finish();
	rules_check_unit();
	den_sites_finish();
	if (!prs_opt.calls && !prs_opt.memory)
		return;
	sites_warn();
	id = sites_write();
	if (sites_n_calls() || sites_n_mems() || bodies_any())
		asm_write_object(sites_n_calls(), sites_n_mems(), id);
}

static void start_unit(void *, void *)
{
	const char *why = asm_unsupported(), *rewritten = prs_opt.denormal ? den_rewritten() : NULL;

	/* A build may mix in such units; its others are still worth measuring. */
	if (why && (prs_opt.calls || prs_opt.memory || prs_opt.denormal))
		warn_at(WARN_UNPROBED, UNKNOWN_LOCATION, "this unit carries no probes: %s", why);
	if (rewritten)
		warn_at(WARN_UNPROBED, UNKNOWN_LOCATION,
			"denormals of this unit are not counted: with %s its results would change",
			rewritten);
	if (prs_opt.denormal && !why && !rewritten)
		lto_mark_denormals();
}

static void add_pass(const char *name, opt_pass *pass, const char *reference, enum pass_positioning_ops where)
{
	struct register_pass_info at = {pass, reference, 1, where};

	register_callback(name, PLUGIN_PASS_MANAGER_SETUP, NULL, &at);
}

static bool same_compiler(const struct plugin_gcc_version *gcc)
{
	int major = atoi(gcc->basever);

	if (major == GCCPLUGIN_VERSION_MAJOR)
		return true;
	error("perseus: this back end is for GCC %d, the compiler is GCC %s; load "
	      "%<perseus.so%>, which "
	      "chooses",
	      GCCPLUGIN_VERSION_MAJOR, gcc->basever);
	return false;
}

/* In this process, maybe by another copy of this file. */
static bool loaded_before(const struct plugin_name_args *args)
{
	static const char mark[] = "perseus is loaded";

	if (!trace_marked(mark)) {
		trace_mark(mark);
		return false;
	}
	trace_mark(SITES_LOADED_TWICE);
	warn_at(WARN_DUPLICATE, UNKNOWN_LOCATION,
		"loaded a second time, as `%s' from %s: the first copy puts the probes in, this "
		"one does nothing; "
		"give -fplugin= once",
		args->base_name, args->full_name);
	return true;
}

extern "C" int perseus_init(struct plugin_name_args *args, struct plugin_gcc_version *gcc)
{
	if (!same_compiler(gcc))
		return 1;
	/* Arguments count for whichever name they were given to; passes only once. */
	if (!options_read(args))
		return 0;
	warn_read_command_line();
	if (!prs_opt.calls && !prs_opt.memory && !prs_opt.denormal && !prs_opt.plan)
		trace_forget_options(args->base_name);
	if (loaded_before(args))
		return 0;
	register_callback(args->base_name, PLUGIN_INFO, NULL, &info);
	register_callback(args->base_name, PLUGIN_ATTRIBUTES, select_register_attributes, NULL);
	if (prs_opt.plan && !plan_read(prs_opt.plan, prs_opt.plan_hash))
		return 0;
	if (prs_opt.rules && !rules_read(prs_opt.rules, prs_opt.rules_hash))
		return 0;
	if (prs_opt.guard && !guard_read(prs_opt.guard, prs_opt.guard_hash))
		return 0;
	layouts_install(args->base_name);
	guard_install(args->base_name);
	lto_mark_install(args->base_name);
	facts_keep_from_collector();
	asm_install();
	register_callback(args->base_name, PLUGIN_START_UNIT, start_unit, NULL);
	if (prs_opt.denormal)
		register_callback(args->base_name, PLUGIN_ALL_PASSES_START, den_passes_begin, NULL);
	if (prs_opt.bodies) {
		register_callback(args->base_name, PLUGIN_ALL_PASSES_START, bodies_begin, NULL);
		register_callback(args->base_name, PLUGIN_ALL_PASSES_END, bodies_end, NULL);
	}
	register_callback(args->base_name, PLUGIN_FINISH_UNIT, finish_unit, NULL);
	add_pass(args->base_name, make_pass_region(g), "*warn_unused_result", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_site(g), "ssa", PASS_POS_INSERT_AFTER);
	add_pass(args->base_name, make_pass_den_mark(g), "ssa", PASS_POS_INSERT_AFTER);
	add_pass(args->base_name, make_pass_den_copy(g), "perseus-den-mark", PASS_POS_INSERT_AFTER);
	add_pass(args->base_name, make_pass_den_gate(g), "ifcvt", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_den_loops(g), "ifcvt", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_den_rest(g), "widening_mul", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_den_rest(g), "tsan0", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_den_copied(g), "tsan0", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_units(g), "whole-program", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_bodies(g), "simdclone", PASS_POS_INSERT_AFTER);
	add_pass(args->base_name, make_pass_layouts(g), "simdclone", PASS_POS_INSERT_AFTER);
	add_pass(args->base_name, make_pass_range(g), "ifcvt", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_mem(g), "tsan0", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_trigger(g), "tsan0", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_call(g), "tsan0", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_entry(g), "*free_cfg", PASS_POS_INSERT_AFTER);
	add_pass(args->base_name, make_pass_rounds(g), "*free_cfg", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_spare(g), "*free_cfg", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_scratch(g), "*free_cfg", PASS_POS_INSERT_BEFORE);
	return 0;
}
