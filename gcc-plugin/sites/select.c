/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/sites.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/base/callee.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/choice/patterns.h"
#include "gcc-plugin/choice/rules-file.h"
#include "gcc-plugin/sites/select.h"
#include "gcc-plugin/sites/sites.h"
#include "gcc-plugin/base/text.h"

/* What is known of a function as a whole; fn_facts.choice. */
enum choice {
	CHOICE_UNKNOWN,
	CHOICE_NEVER,  /* attribute perseus_no_probe */
	CHOICE_ALWAYS, /* attribute perseus_probe */
	CHOICE_SKIP,   /* a pattern of skip= */
	CHOICE_SELECT, /* a pattern of select= */
	CHOICE_OPEN,   /* none of these */
};

/* An attribute was seen here: else, without arguments, there is nothing to ask. */
static bool attributes_seen;

/* ---- attributes ---- */

static tree note_attribute(tree *node, tree name, tree, int, bool *no_add)
{
	if (TREE_CODE(*node) == FUNCTION_DECL) {
		attributes_seen = true;
		return NULL_TREE;
	}
	warning(OPT_Wattributes, "%qE attribute applies to functions only; ignored", name);
	*no_add = true;
	return NULL_TREE;
}

static const struct attribute_spec::exclusions not_probe[] = {{"perseus_probe", true, true, true},
							      {NULL, false, false, false}};
static const struct attribute_spec::exclusions not_no_probe[] = {{"perseus_no_probe", true, true, true},
								 {NULL, false, false, false}};
static struct attribute_spec attributes[] = {
	{"perseus_no_probe", 0, 0, true, false, false, false, note_attribute, not_probe},
	{"perseus_probe", 0, 0, true, false, false, false, note_attribute, not_no_probe},
};

void select_register_attributes(void *, void *)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		register_attribute(&attributes[i]);
}

/* Constructors are inlined under their abstract form, which shares the attributes. */
static bool has(tree decl, const char *name)
{
	return lookup_attribute(name, DECL_ATTRIBUTES(decl)) ||
	       lookup_attribute(name, DECL_ATTRIBUTES(DECL_ORIGIN(decl)));
}

/* ---- whole functions ---- */

static bool has_attribute(tree decl, const char *name)
{
	return lookup_attribute(name, DECL_ATTRIBUTES(decl)) != NULL_TREE;
}

/* A resolver may run before the dynamic linker has relocated anything. */
static bool is_ifunc_resolver(tree decl)
{
	struct cgraph_node *node = cgraph_node::get(decl);
	struct ipa_ref *ref;

	if (!node)
		return false;
	FOR_EACH_ALIAS(node, ref)
	if (dyn_cast<cgraph_node *>(ref->referring) &&
	    dyn_cast<cgraph_node *>(ref->referring)->ifunc_resolver)
		return true;
	return node->ifunc_resolver;
}

const char *select_impossible(function *fun)
{
	tree decl = fun->decl;

	/* Triggers are ordinary calls, and possible everywhere. */
	if ((prs_opt.calls || prs_opt.memory || prs_opt.denormal) && asm_unsupported())
		return PRS_SR_TARGET;
	if (has_attribute(decl, "naked"))
		return "naked";
	if (has_attribute(decl, "interrupt"))
		return "interrupt";
	if (is_ifunc_resolver(decl))
		return PRS_SR_RESOLVER;
	if (fun->is_thunk)
		return "";
	return NULL;
}

bool select_never(tree decl)
{
	bool never = has(decl, "perseus_no_probe") || has(decl, "no_instrument_function");

	attributes_seen |= never;
	return never;
}

/* ---- decisions ---- */

/* Can there be an answer other than yes?  In lto1 attributes come from the stream. */
static bool must_ask(void)
{
	return attributes_seen || in_lto_p || patterns_given(PATTERNS_SELECT) ||
	       patterns_given(PATTERNS_SKIP) || rules_given();
}

static bool in_list(enum pattern_list which, const struct fn_facts *f, tree decl)
{
	return patterns_match(which, OF_FUNCTION, f->name) || patterns_match(which, OF_FUNCTION, f->pretty) ||
	       patterns_match_path(which, f->files[(unsigned)f->file]) ||
	       patterns_match_path(which, in_lto_p ? NULL : DECL_SOURCE_FILE(decl));
}

void select_learn(struct fn_facts *f, tree decl)
{
	if (select_never(decl))
		f->choice = CHOICE_NEVER;
	else if (has(decl, "perseus_probe"))
		f->choice = CHOICE_ALWAYS;
	else if (in_list(PATTERNS_SKIP, f, decl))
		f->choice = CHOICE_SKIP;
	else
		f->choice = in_list(PATTERNS_SELECT, f, decl) ? CHOICE_SELECT : CHOICE_OPEN;
}

/* @in: does select= or skip= name the callee, by any of the names it has. */
static bool callee_in(enum pattern_list which, gcall *call, const struct call_fact *fact)
{
	tree decl = gimple_call_fndecl(call);

	if (patterns_match(which, OF_CALLEE, callee_name(call)) ||
	    (fact && patterns_match(which, OF_CALLEE, fact->callee)))
		return true;
	return decl && (patterns_match(which, OF_CALLEE, facts_of(decl)->pretty));
}

static const char *of_function(const struct fn_facts *f)
{
	switch (f->choice) {
	case CHOICE_NEVER:
		return PRS_SR_ATTRIBUTE;
	case CHOICE_SKIP:
		return PRS_SR_SKIP;
	case CHOICE_OPEN:
		return patterns_given(PATTERNS_SELECT) ? PRS_SR_SELECT : NULL;
	default:
		return NULL;
	}
}

static const char *ruled_out(gcall *call, const struct where *w, const struct call_fact *fact)
{
	const char *site;

	if (!rules_given())
		return NULL;
	site = fact ? fact->site : sites_late_id(w, callee_name(call));
	if (!rules_leave_out(site))
		return NULL;
	rules_saw(site); /* the early pass has not met those that came into being late */
	return PRS_SR_RULES;
}

const char *select_call(gcall *call, const struct where *w, const struct call_fact *fact)
{
	const char *reason;

	if (!must_ask())
		return NULL;
	reason = of_function(w->fn);
	if (w->fn->choice == CHOICE_NEVER || w->fn->choice == CHOICE_ALWAYS || w->fn->choice == CHOICE_SKIP)
		return reason;
	if (patterns_about_callees(PATTERNS_SKIP) && callee_in(PATTERNS_SKIP, call, fact))
		return PRS_SR_SKIP;
	if (reason && !(patterns_about_callees(PATTERNS_SELECT) && callee_in(PATTERNS_SELECT, call, fact)))
		return reason;
	return ruled_out(call, w, fact);
}

const char *select_function(function *fun)
{
	return must_ask() ? of_function(facts_of(fun->decl)) : NULL;
}

const char *select_function_reason(function *fun)
{
	return select_never(fun->decl) ? PRS_SR_ATTRIBUTE : NULL;
}

const char *select_access(gimple *stmt, function *fun)
{
	if (!must_ask())
		return NULL;
	return of_function(facts_of(where_writer(stmt, fun)));
}

const char *select_mem_site(const struct mem_fact *fact, const struct where *w)
{
	if (!fact || w->fn->choice == CHOICE_ALWAYS)
		return NULL;
	return rules_leave_out(fact->site) ? PRS_SR_RULES : NULL;
}
