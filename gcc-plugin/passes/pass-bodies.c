/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pass-bodies: a second body for every function that would have probes.
 *
 * before                     after
 *     int f (int x)              int f (int x)                  callers come here, as before
 *     {                          {
 *       ...                          ... as in the plain program, or a jump to the twin
 *                                static int f.perseus.0 (int x) in a section of twins
 *                                {
 *                                  ... with probes
 *
 * Runs over the unit after all IPA passes, inlining included; under -flto in
 * the link's partitions.  From here on each body is optimised by itself, so the
 * plain one is what it would be without us.  The twin
 * calls, and takes addresses of, the functions as they are called in the source:
 * so an address means one thing, and static variables exist once.
 *
 * A function keeps one body, with probes as ever, if it
 *   - cannot be copied (GCC says so: attribute noclone, ...),
 *   - does more with the address of a label than to jump there (label-tables.c),
 *   - has assembler that may define a symbol,
 *   - is in a section by the programmer's will, or has a static chain,
 *   - has room for others to patch (-fpatchable-function-entry),
 *   - may return twice, or is one that can have no probes of ours.
 * It has no second one if there is nothing in it to probe.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/bodies.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/passes/label-tables.h"
#include "gcc-plugin/sites/select.h"

#define SECTION ".text.unlikely.perseus"

/* Text with a label or a directive would stand in the object twice. */
static bool may_define(const gasm *stmt)
{
	return strpbrk(gimple_asm_string(stmt), ":.") || gimple_asm_nlabels(stmt);
}

/* Memory is read, written, or both; a return that reads none has a virtual operand, too. */
static bool touches_memory(const gimple *stmt)
{
	const greturn *end = dyn_cast<const greturn *>(stmt);
	tree value = end ? gimple_return_retval(end) : NULL_TREE;

	return gimple_vuse(stmt) && (!end || (value && !is_gimple_val(value)));
}

enum content { CONTENT_NONE, CONTENT_PROBES, CONTENT_ONCE };

/* Is there something to probe in @fun, or something that may be there only once? */
static enum content content_of(function *fun)
{
	enum content content = CONTENT_NONE;
	basic_block bb;

	FOR_EACH_BB_FN(bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gimple *stmt = gsi_stmt(gsi);

		if (is_gimple_debug(stmt))
			continue;
		if (gasm *text = dyn_cast<gasm *>(stmt))
			if (may_define(text))
				return CONTENT_ONCE;
		if (is_gimple_call(stmt) || touches_memory(stmt))
			content = CONTENT_PROBES;
	}
	return content;
}

static bool can_copy(function *fun, vec<tree> *tables)
{
	if (fun->has_nonlocal_label || !label_tables_only_jump(fun, tables))
		return false;
	label_tables_allow(fun, tables);
	return tree_versionable_function_p(fun->decl);
}

static bool others_patch(tree decl)
{
	return flag_patchable_function_entry ||
	       lookup_attribute("patchable_function_entry", DECL_ATTRIBUTES(decl));
}

static bool one_body(cgraph_node *node, function *fun, vec<tree> *tables)
{
	return DECL_STATIC_CHAIN(node->decl) || fun->calls_setjmp || others_patch(node->decl) ||
	       (node->get_section() && !node->implicit_section) || node->thunk || node->ifunc_resolver ||
	       select_impossible(fun) || select_function(fun) || select_function_reason(fun) ||
	       content_of(fun) != CONTENT_PROBES || !can_copy(fun, tables);
}

/* A section of its own where the function has one; else that of the unit's twins. */
static void put_apart(cgraph_node *plain, cgraph_node *twin)
{
	tree decl = twin->decl;
	bool own = plain->get_comdat_group() || flag_function_sections;
	char *name = own ? concat(SECTION ".", IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(plain->decl)), NULL)
			 : xstrdup(SECTION);

	twin->externally_visible = false;
	twin->force_output = true;
	twin->local = false;
	TREE_PUBLIC(decl) = 0;
	DECL_COMDAT(decl) = 0;
	DECL_WEAK(decl) = 0;
	DECL_EXTERNAL(decl) = 0;
	DECL_VISIBILITY(decl) = VISIBILITY_DEFAULT;
	DECL_VISIBILITY_SPECIFIED(decl) = 0;
	if (!twin->same_comdat_group)
		twin->set_comdat_group(NULL_TREE);
	if (plain->get_comdat_group() && !twin->same_comdat_group)
		twin->add_to_same_comdat_group(plain);
	twin->set_section(name);
	/* As if the programmer had said so: then it is not split into a hot and a cold part. */
	DECL_ATTRIBUTES(decl) = tree_cons(
		get_identifier("section"),
		build_tree_list(NULL_TREE, build_string((int)strlen(name) + 1, name)), DECL_ATTRIBUTES(decl));
	free(name);
}

static void give_twin(cgraph_node *plain, const vec<tree> *tables)
{
	cgraph_node *twin =
		plain->create_version_clone_with_body(vNULL, NULL, NULL, NULL, NULL, "perseus", NULL_TREE);

	if (!twin)
		return;
	label_tables_copy(twin, tables);
	put_apart(plain, twin);
	bodies_pair(plain->decl, twin->decl);
}

static unsigned bodies_execute(void)
{
	auto_vec<cgraph_node *, 64> chosen;
	cgraph_node *node;

	FOR_EACH_DEFINED_FUNCTION(node)
	if (!node->alias && !node->thunk && !node->inlined_to && node->has_gimple_body_p())
		chosen.safe_push(node);
	for (unsigned i = 0; i < chosen.length(); i++)
		chosen[i]->get_body();
	for (unsigned i = 0; i < chosen.length(); i++) {
		auto_vec<tree> tables;
		bool one;

		push_cfun(DECL_STRUCT_FUNCTION(chosen[i]->decl));
		one = one_body(chosen[i], cfun, &tables);
		pop_cfun();
		if (!one)
			give_twin(chosen[i], &tables);
	}
	return 0;
}

static const pass_data bodies_data = {
	SIMPLE_IPA_PASS, "perseus-bodies", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0,
};

namespace
{
class pass_bodies : public simple_ipa_opt_pass
{
      public:
	pass_bodies(gcc::context *ctxt) : simple_ipa_opt_pass(bodies_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.bodies && (prs_opt.calls || prs_opt.memory) && !seen_error();
	}
	unsigned int execute(function *) final override
	{
		return bodies_execute();
	}
};
} // namespace

simple_ipa_opt_pass *make_pass_bodies(gcc::context *ctxt)
{
	return new pass_bodies(ctxt);
}
