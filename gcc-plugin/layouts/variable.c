/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variables: aligned where they are defined, and alone on their lines.
 *
 * before                     after (layout variable hits - a.c 3 64 8 64)
 *     .bss                       .section .bss.hits,"aw"
 *     .align 8                   .align 64
 *   hits:                      hits:
 *     .zero 8                    .zero 8
 *                                .align 64
 *
 * Alignment parts a variable from what lies before it only, and its size is its type's.
 * So it gets a section of its own, as by -fdata-sections, whose end is aligned, too: the
 * linker puts nothing else into that line, whatever it puts behind.  The section is chosen
 * behind the last IPA pass, when it is settled what is in the variable; under -flto by lto1.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/layouts/layouts.h"

/* On a variable of the plan: its bytes of alignment; goes through an LTO stream. */
#define OWN_LINES "perseus lines"

tree layouts_variables;

/* The alignment of @decl's lines in bytes, 0: it has none. */
static unsigned own_lines(tree decl)
{
	tree a = lookup_attribute(OWN_LINES, DECL_ATTRIBUTES(decl));

	return a ? (unsigned)tree_to_uhwi(TREE_VALUE(TREE_VALUE(a))) : 0;
}

void layouts_variable(tree decl)
{
	struct plan_layout *l = layouts_line(decl);

	if (!l)
		return;
	l->found = true;
	if (!value_member(decl, layouts_variables))
		layouts_variables = tree_cons(NULL_TREE, decl, layouts_variables);
	/* C++ decides at the end of the unit whether it defines what all units may. */
	if (!TREE_STATIC(decl) || DECL_THREAD_LOCAL_P(decl) || own_lines(decl))
		return;
	layouts_raise(decl, l);
	DECL_ATTRIBUTES(decl) =
		tree_cons(get_identifier(OWN_LINES),
			  build_tree_list(NULL_TREE, build_int_cst(integer_type_node, (int)l->align)),
			  DECL_ATTRIBUTES(decl));
}

/* Why @decl cannot have lines of its own; NULL: it can. */
static const char *variable_refused(tree decl)
{
	if (!TREE_STATIC(decl))
		return DECL_EXTERNAL(decl) ? "it is not defined here, only declared"
					   : "it lies on a stack or in a register";
	if (DECL_THREAD_LOCAL_P(decl))
		return "each thread has one of its own";
	if (DECL_COMMON(decl))
		return "it is common (-fcommon): the linker joins it with others of its name; build with "
		       "-fno-common";
	if (DECL_SECTION_NAME(decl) && !symtab_node::get(decl)->implicit_section)
		return "the source puts it into a section";
	if (lookup_attribute("alias", DECL_ATTRIBUTES(decl)) ||
	    lookup_attribute("weakref", DECL_ATTRIBUTES(decl)))
		return "it is another name of a variable";
	return NULL;
}

static void check_variable(tree decl, struct plan_layout *l)
{
	location_t at = DECL_SOURCE_LOCATION(decl);
	const char *why = variable_refused(decl);
	unsigned long size;

	if (why) {
		layouts_refuse(l, at, "%s", why);
		return;
	}
	if (!DECL_SIZE_UNIT(decl) || !tree_fits_uhwi_p(DECL_SIZE_UNIT(decl)))
		return;
	size = (unsigned long)tree_to_uhwi(DECL_SIZE_UNIT(decl));
	if (size != l->size)
		layouts_refuse(l, at, "it has %lu bytes, the plan says %lu", size, l->size);
	else if ((size + l->align - 1) / l->align * l->align != l->size_then)
		layouts_refuse(l, at, "with it %lu bytes are taken, the plan says %lu",
			       (size + l->align - 1) / l->align * l->align, l->size_then);
}

void layouts_check_variables(void)
{
	for (tree t = layouts_variables; t; t = TREE_CHAIN(t))
		if (struct plan_layout *l = layouts_line(TREE_VALUE(t)))
			check_variable(TREE_VALUE(t), l);
	for (unsigned i = 0; i < prs_plan.layouts.length(); i++) {
		struct plan_layout *l = &prs_plan.layouts[i];

		if (l->variable && !l->found && layouts_is_unit(l->unit ? l->unit : l->file))
			layouts_refuse(l, UNKNOWN_LOCATION, "this unit defines no such variable there");
	}
}

static unsigned layouts_execute(void)
{
	int before = flag_data_sections;
	varpool_node *node;

	flag_data_sections = 1;
	FOR_EACH_DEFINED_VARIABLE(node)
	if (own_lines(node->decl) && !node->alias) {
		node->get_constructor();
		get_variable_section(node->decl, false);
	}
	flag_data_sections = before;
	return 0;
}

void layouts_finish(void)
{
	varpool_node *node;

	FOR_EACH_DEFINED_VARIABLE(node)
	{
		unsigned align = own_lines(node->decl);

		if (!align || node->alias || !TREE_ASM_WRITTEN(node->decl))
			continue;
		switch_to_section(get_variable_section(node->decl, false));
		ASM_OUTPUT_ALIGN(asm_out_file, floor_log2(align));
	}
}

static const pass_data layouts_data = {
	SIMPLE_IPA_PASS, "perseus-layouts", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0,
};

namespace
{
class pass_layouts : public simple_ipa_opt_pass
{
      public:
	pass_layouts(gcc::context *ctxt) : simple_ipa_opt_pass(layouts_data, ctxt)
	{
	}
	bool gate(function *) final override
	{
		return prs_opt.plan && !seen_error();
	}
	unsigned int execute(function *) final override
	{
		return layouts_execute();
	}
};
} // namespace

simple_ipa_opt_pass *make_pass_layouts(gcc::context *ctxt)
{
	return new pass_layouts(ctxt);
}
