/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fields: aligned as soon as they are declared, before their type is laid out.
 *
 * before                                after (layout field pair right f.h 1 64 16 8 128 64)
 *     struct pair { long left, right; };    struct pair { long left; alignas(64) long right; };
 *
 * A front end tells of each field of a struct or class when it has read it.  Of a class
 * template it does not, and the instances' fields are made without a word: there the field
 * of the template gets the attribute that an alignment which depends on an argument would
 * have, so the front end applies it in each instance.  What became of it is read when all
 * of the unit is: of each type whose layout was told to the debugger's side of the compiler.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/data/access.h"
#include "gcc-plugin/layouts/layouts.h"

/* On a declaration that was raised: what the source had asked for, in bits. */
#define RAISED "perseus layout"

/* An attribute that waits for the arguments of its template (ATTR_IS_DEPENDENT of GCC's cp-tree.h). */
#define WAITS(attribute) TREE_LANG_FLAG_0(attribute)

tree layouts_types;

void layouts_raise(tree decl, const struct plan_layout *l)
{
	unsigned asked = DECL_USER_ALIGN(decl) ? DECL_ALIGN(decl) : 0;
	unsigned bits = (unsigned)l->align * BITS_PER_UNIT;

	if (layouts_raised(decl, &asked))
		return;
	/* The line's text goes with the field into a precompiled header. */
	DECL_ATTRIBUTES(decl) =
		tree_cons(get_identifier(RAISED),
			  build_tree_list(get_identifier(l->text), build_int_cst(integer_type_node, asked)),
			  DECL_ATTRIBUTES(decl));
	SET_DECL_ALIGN(decl, MAX(bits, DECL_ALIGN(decl)));
	DECL_USER_ALIGN(decl) = 1;
}

bool layouts_raised(const_tree decl, unsigned *bits)
{
	tree a = lookup_attribute(RAISED, DECL_ATTRIBUTES(decl));

	if (a)
		*bits = (unsigned)tree_to_uhwi(TREE_VALUE(TREE_VALUE(a)));
	return a != NULL_TREE;
}

/* The field of a class template: each instance gets the alignment. */
static void raise_instances(tree field, struct plan_layout *l)
{
	tree value = build_tree_list(NULL_TREE, build_int_cst(integer_type_node, (int)l->align));
	tree aligned = tree_cons(get_identifier("aligned"), value, NULL_TREE);

	l->found = true;
	layouts_raise(field, l);
	WAITS(aligned) = 1;
	/* Those that wait stand in front. */
	TREE_CHAIN(aligned) = DECL_ATTRIBUTES(field);
	DECL_ATTRIBUTES(field) = aligned;
}

/* PLUGIN_FINISH_DECL */
static void declared(void *data, void *)
{
	tree decl = (tree)data;

	if (!decl || decl == error_mark_node)
		return;
	if (TREE_CODE(decl) == FIELD_DECL) {
		if (const struct plan_layout *l = layouts_line(decl))
			layouts_raise(decl, l);
	} else if (VAR_P(decl)) {
		layouts_variable(decl);
	}
}

/* PLUGIN_FINISH_TYPE: what was not told field by field is a template. */
static void defined(void *data, void *)
{
	tree type = (tree)data;
	unsigned bits;

	if (!type || type == error_mark_node || !TYPE_P(type) || !RECORD_OR_UNION_TYPE_P(type) ||
	    !lang_GNU_CXX())
		return;
	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f))
		if (TREE_CODE(f) == FIELD_DECL && !layouts_raised(f, &bits))
			if (struct plan_layout *l = layouts_line(f))
				raise_instances(f, l);
}

/* Is @type worth a look at the end: of a file that the plan has fields in? */
static bool is_of_interest(tree type)
{
	for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f))
		if (TREE_CODE(f) == FIELD_DECL && !DECL_ARTIFICIAL(f) && layouts_in_file(f, true))
			return true;
	return false;
}

static const struct gcc_debug_hooks *hooks_before;
static struct gcc_debug_hooks hooks;

/* A precompiled header brings a table of its own. */
static const class line_maps *table_before;

static bool was_read(const char *file)
{
	for (unsigned i = 0; i < LINEMAPS_ORDINARY_USED(line_table); i++) {
		const char *name = ORDINARY_MAP_FILE_NAME(LINEMAPS_ORDINARY_MAP_AT(line_table, i));

		if (name && layouts_is_file(file, name))
			return true;
	}
	return false;
}

/* What a header was precompiled to is told by nobody: it must have been made with the layouts, too. */
static void check_precompiled(void)
{
	for (unsigned i = 0; i < prs_plan.layouts.length(); i++) {
		struct plan_layout *l = &prs_plan.layouts[i];

		if (!l->variable && !maybe_get_identifier(l->text) && was_read(l->file))
			layouts_refuse(l, UNKNOWN_LOCATION,
				       "the unit has '%s' from a precompiled header that was made without "
				       "this layout",
				       l->file);
	}
}

/* Of each struct, union and class, when it has its layout; instances of templates, too. */
static void laid_out(tree decl, int local)
{
	tree type = TREE_TYPE(decl);

	if (type && RECORD_OR_UNION_TYPE_P(type) && COMPLETE_TYPE_P(type) &&
	    (is_of_interest(type) || TREE_CODE(type) == UNION_TYPE))
		layouts_types = tree_cons(NULL_TREE, type, layouts_types);
	hooks_before->type_decl(decl, local);
}

/* PLUGIN_START_UNIT: the compiler has chosen its hooks by now. */
static void watch_types(void *, void *)
{
	if (in_lto_p)
		return;
	table_before = line_table;
	hooks_before = debug_hooks;
	hooks = *debug_hooks;
	hooks.type_decl = laid_out;
	debug_hooks = &hooks;
}

/* PLUGIN_ALL_IPA_PASSES_START: all of the unit is read. */
static void layouts_check(void *, void *)
{
	if (in_lto_p || seen_error())
		return;
	if (line_table != table_before)
		check_precompiled();
	layouts_check_fields(layouts_types);
	layouts_check_variables();
	layouts_check_outside(layouts_types);
	layouts_check_operators();
	if (seen_error())
		return;
	layouts_heap();
	layouts_tell();
	layouts_mark_unit();
}

void layouts_install(const char *plugin)
{
	static struct ggc_root_tab roots[] = {
		{&layouts_types, 1, sizeof(layouts_types), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
		{&layouts_variables, 1, sizeof(layouts_variables), &gt_ggc_mx_tree_node,
		 &gt_pch_nx_tree_node},
		LAST_GGC_ROOT_TAB};

	if (!prs_plan.layouts.length())
		return;
	register_callback(plugin, PLUGIN_REGISTER_GGC_ROOTS, NULL, roots);
	register_callback(plugin, PLUGIN_FINISH_DECL, declared, NULL);
	register_callback(plugin, PLUGIN_FINISH_TYPE, defined, NULL);
	register_callback(plugin, PLUGIN_START_UNIT, watch_types, NULL);
	register_callback(plugin, PLUGIN_ALL_IPA_PASSES_START, layouts_check, NULL);
}
