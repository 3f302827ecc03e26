/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The back end of perseus.so for one version of GCC: where its passes stand.
 *
 *   ssa -> perseus-site          early, in the compiler proper: names every
 *                                call and access before optimisation
 *   perseus-mem, perseus-trigger, perseus-call -> tsan0
 *                                late, at all levels; under -flto in lto1
 *   the end of the unit          .perseus.sites, descriptor, stubs
 *
 * Written in the C subset of C++: GCC's own headers do not compile as C.
 */
#include "gcc-common.h"
#include "gcc-plugin/asm-x86.h"
#include "gcc-plugin/facts.h"
#include "gcc-plugin/options.h"
#include "gcc-plugin/pass.h"
#include "gcc-plugin/plan-file.h"
#include "gcc-plugin/sites.h"

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;
extern "C" __attribute__((visibility("default"))) int perseus_init(struct plugin_name_args *args,
								   struct plugin_gcc_version *gcc);

static struct plugin_info info = {
	PERSEUS_VERSION,
	"probe=calls,memory|calls|memory|none  plan=FILE  plan-hash=SHA256",
};

/* The attribute that keeps a function free of probes. */
static struct attribute_spec no_probe = {"perseus_no_probe", 0, 0, true, false, false, false, NULL, NULL};

static void register_attributes(void *, void *)
{
	register_attribute(&no_probe);
}

static void finish_unit(void *, void *)
{
	uint64_t id;

	if (!asm_out_file || flag_wpa || seen_error())
		return;
	plan_check_unit();
	if (!prs_opt.calls && !prs_opt.memory)
		return;
	id = sites_write();
	if (sites_n_calls() || sites_n_mems())
		asm_write_object(sites_n_calls(), sites_n_mems(), id);
}

static void start_unit(void *, void *)
{
	const char *why = asm_unsupported();

	if (why && (prs_opt.calls || prs_opt.memory))
		error("perseus: %s", why);
}

static void add_pass(const char *name, gimple_opt_pass *pass, const char *reference,
		     enum pass_positioning_ops where)
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

/*
 * The plugin may be given under two names, and then even from two files, which
 * share no variable; but they share the compiler's identifiers.
 */
static bool loaded_before(void)
{
	static const char mark[] = "perseus is loaded";

	if (maybe_get_identifier(mark))
		return true;
	get_identifier(mark);
	return false;
}

extern "C" int perseus_init(struct plugin_name_args *args, struct plugin_gcc_version *gcc)
{
	if (!same_compiler(gcc))
		return 1;
	/* Arguments count for whichever name they were given to; passes only once. */
	if (!options_read(args) || loaded_before())
		return 0;
	register_callback(args->base_name, PLUGIN_INFO, NULL, &info);
	register_callback(args->base_name, PLUGIN_ATTRIBUTES, register_attributes, NULL);
	if (prs_opt.plan && !plan_read(prs_opt.plan, prs_opt.plan_hash))
		return 0;
	facts_keep_from_collector();
	asm_install();
	register_callback(args->base_name, PLUGIN_START_UNIT, start_unit, NULL);
	register_callback(args->base_name, PLUGIN_FINISH_UNIT, finish_unit, NULL);
	add_pass(args->base_name, make_pass_site(g), "ssa", PASS_POS_INSERT_AFTER);
	add_pass(args->base_name, make_pass_mem(g), "tsan0", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_trigger(g), "tsan0", PASS_POS_INSERT_BEFORE);
	add_pass(args->base_name, make_pass_call(g), "tsan0", PASS_POS_INSERT_BEFORE);
	return 0;
}
