/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass-region: make the functions regions that a plan's flush lines name.
 *
 * before                          after (flush 1 jacobi.c sweep 12)
 *     sweep (x, n)                    sweep (x, n)
 *     {                               {
 *                                       perseus_flush_1_begin ();
 *                                       try {
 *       if (n < 3) return 0;              if (n < 3) return 0;
 *       ... return s;                     ... return s;
 *                                       } finally { perseus_flush_1_end (); }
 *     }                               }
 *
 * Runs on the statements that the front end gives, where GCC itself puts the calls of
 * -finstrument-functions, so returns, jumps and exceptions all come by the end.  What GCC cannot
 * bring there (longjmp, exit) stops the build with its place; what the function calls is the
 * verifier's and the run's affair.  The function is kept whole: not inlined, cloned, split or joined.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/triggers.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/choice/plan-file.h"

struct refusal {
	const char *why; /* NULL: none yet */
	location_t at;
};

static void refuse(struct refusal *r, const char *why, location_t at)
{
	if (r->why)
		return;
	r->why = why;
	r->at = at;
}

/* Calls that do not return, after which nothing is computed, or which go by the handlers. */
static bool is_end_of_all(const char *name)
{
	static const char *const list[] = {
		"abort",
		"_exit",
		"_Exit",
		"__assert_fail",
		"__builtin_trap",
		"__builtin_unreachable",
		"__builtin_abort",
		"__stack_chk_fail",
		"_ZSt9terminatev",
		"__cxa_throw",
		"__cxa_rethrow",
		"__cxa_bad_cast",
		"__cxa_bad_typeid",
		"__cxa_throw_bad_array_new_length",
	};

	for (unsigned i = 0; i < ARRAY_SIZE(list); i++)
		if (!strcmp(name, list[i]))
			return true;
	return !strncmp(name, "_ZSt", 4) && strstr(name, "__throw_");
}

static void region_call(struct refusal *r, const gcall *call)
{
	int flags = gimple_call_flags(call);
	const char *name = gimple_call_internal_p(call) ? "" : callee_name(call);
	location_t at = gimple_location(call);

	if (flags & ECF_RETURNS_TWICE)
		refuse(r, "it calls setjmp() or the like, and could be come back to without a begin", at);
	else if (flags & ECF_NORETURN && !gimple_call_internal_p(call) && !is_end_of_all(name))
		refuse(r, "a call here does not return, so the register would not be put back", at);
	else if (callee_creates(name))
		refuse(r, "it creates a thread, which would begin with the bits set", at);
	else if (gimple_call_must_tail_p(call))
		refuse(r, "a call here must be a tail call, behind which nothing can stand", at);
}

/* For walk_gimple_seq(). */
static tree region_statement(gimple_stmt_iterator *gsi, bool *handled, struct walk_stmt_info *wi)
{
	struct refusal *r = (struct refusal *)wi->info;
	gimple *stmt = gsi_stmt(*gsi);

	*handled = false;
	if (const gcall *call = dyn_cast<const gcall *>(stmt))
		region_call(r, call);
	else if (is_gimple_omp(stmt))
		refuse(r, "the threads of an OpenMP directive do not have the register of the function",
		       gimple_location(stmt));
	else if (gimple_code(stmt) == GIMPLE_TRANSACTION)
		refuse(r, "a transaction may be left without an end", gimple_location(stmt));
	return NULL_TREE;
}

/* Why @decl cannot be a region; NULL: it can. */
static const char *region_refused(tree decl, location_t *at)
{
	struct refusal r = {NULL, DECL_SOURCE_LOCATION(decl)};
	struct walk_stmt_info wi;

	*at = r.at;
	if (lookup_attribute("always_inline", DECL_ATTRIBUTES(decl)))
		return "it is always_inline, and no function of the program then";
	if (lookup_attribute("naked", DECL_ATTRIBUTES(decl)))
		return "it is naked";
	if (DECL_COMDAT(decl) || DECL_ONE_ONLY(decl))
		return "each unit that uses it has a copy, and the linker takes any of them: name one that "
		       "is not inline";
	if (DECL_STRUCT_FUNCTION(decl)->has_nonlocal_label)
		return "a function inside it jumps out";
	memset(&wi, 0, sizeof(wi));
	wi.info = &r;
	walk_gimple_seq(gimple_body(decl), region_statement, NULL, &wi);
	*at = r.at;
	return r.why;
}

static gcall *mark(const char *form, const char *number, location_t at)
{
	char name[64];
	gcall *call;

	snprintf(name, sizeof(name), form, (unsigned)strtoul(number, NULL, 10));
	call = gimple_build_call(pass_declared(name), 0);
	gimple_set_location(call, at);
	return call;
}

/* Not inlined, cloned, split or joined with an equal one: what is in it stays between its two marks. */
static void keep_whole(tree decl)
{
	static const char *const words[] = {"noinline", "noclone", "no_icf"};

	DECL_UNINLINABLE(decl) = 1;
	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (!lookup_attribute(words[i], DECL_ATTRIBUTES(decl)))
			DECL_ATTRIBUTES(decl) =
				tree_cons(get_identifier(words[i]), NULL_TREE, DECL_ATTRIBUTES(decl));
}

static void wrap(tree decl, const char *number)
{
	location_t begin = DECL_STRUCT_FUNCTION(decl)->function_start_locus;
	location_t end = DECL_STRUCT_FUNCTION(decl)->function_end_locus;
	gimple_seq cleanup = NULL, body = NULL, all = NULL;

	gimple_seq_add_stmt(&cleanup, mark(PRS_FN_FLUSH_END, number, end));
	gimple_seq_add_stmt(&body, mark(PRS_FN_FLUSH_BEGIN, number, begin));
	gimple_seq_add_stmt(&body, gimple_build_try(gimple_body(decl), cleanup, GIMPLE_TRY_FINALLY));
	gimple_seq_add_stmt(&all, gimple_build_bind(NULL_TREE, body, NULL_TREE));
	gimple_set_body(decl, all);
	keep_whole(decl);
}

static unsigned region_execute(function *fun)
{
	tree decl = fun->decl;

	for (unsigned i = 0; i < prs_plan.regions.length(); i++) {
		struct plan_region *r = &prs_plan.regions[i];
		const char *why;
		location_t at;

		if (strcmp(r->function, callee_asm_name(decl)) || strcmp(r->unit, name_of_unit()))
			continue;
		r->done = true;
		why = region_refused(decl, &at);
		if (!why)
			wrap(decl, r->number_text);
		else
			error_at(at, "perseus: flush %s: %qs cannot be a region: %s", r->number_text,
				 r->function, why);
		break;
	}
	return 0;
}

static const pass_data region_data = {
	GIMPLE_PASS, "perseus-region", OPTGROUP_NONE, TV_NONE, PROP_gimple_any, 0, 0, 0, 0,
};

namespace
{
class pass_region : public gimple_opt_pass
{
      public:
	pass_region(gcc::context *ctxt) : gimple_opt_pass(region_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.plan && prs_plan.regions.length();
	}
	unsigned int execute(function *fun) final override
	{
		return region_execute(fun);
	}
};
} // namespace

gimple_opt_pass *make_pass_region(gcc::context *ctxt)
{
	return new pass_region(ctxt);
}
