/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which units of a link with -flto had the plan?  One without it may be inlined into others, and
 * then nothing in the program tells that its code counts on the old layouts: neither a function
 * of its own nor, without -g, a word of the debugger's data.  So each unit leaves a comment for the
 * assembler in the LTO stream, and the link, which sees all units, lists in .perseus.layouts
 * (perseus/triggers.h) how many it took in and which had no such comment.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/layouts/layouts.h"
#include "perseus/triggers.h"

#define MARK "\t# perseus: compiled with the layouts of plan "

void layouts_mark_unit(void)
{
	struct text out = {NULL, 0, 0};

	if (!flag_generate_lto)
		return;
	text_add(&out, MARK "%s\n", prs_plan.hash);
	symtab->finalize_toplevel_asm(build_string((int)out.n + 1, text_get(&out)));
	text_release(&out);
}

static bool is_unit_mark(const asm_node *node)
{
	const char *text;

	if (!gcc_is_basic_asm(node) || TREE_STRING_LENGTH(node->asm_str) < (int)strlen(MARK) + 64)
		return false;
	text = TREE_STRING_POINTER(node->asm_str);
	return !strncmp(text, MARK, strlen(MARK)) && !strncmp(text + strlen(MARK), prs_plan.hash, 64);
}

/* What a stream holds is numbered anew as it is read, one stream behind the other. */
static bool has_mark(int from, int to)
{
	for (const asm_node *n = symtab->first_asm_symbol(); n; n = GCC_NEXT_ASM(n))
		if (n->order >= from && n->order < to && is_unit_mark(n))
			return true;
	return false;
}

/* While the streams are read: later some of what they held is gone. */
static void list_units(void)
{
	struct lto_file_decl_data **file = lto_get_file_decl_data();
	struct text list = {NULL, 0, 0};
	unsigned n = 0;

	for (; *file; file++) {
		int end = file[1] ? file[1]->order_base : symtab->order;

		if ((*file)->order_base == end)
			continue;
		n++;
		if (has_mark((*file)->order_base, end))
			continue;
		text_str(&list, "without ");
		layouts_percent(&list, (*file)->file_name);
		text_str(&list, "\n");
	}
	text_add(&list, "link %u\n", n);
	layouts_list(text_get(&list));
	text_release(&list);
}

static const pass_data units_data = {
	IPA_PASS, "perseus-units", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0,
};

namespace
{
class pass_units : public ipa_opt_pass_d
{
      public:
	pass_units(gcc::context *ctxt)
	    : ipa_opt_pass_d(units_data, ctxt, NULL, NULL, list_units, NULL, NULL, NULL, 0, NULL, NULL)
	{
	}
	bool gate(function *) final override
	{
		return in_lto_p && !flag_ltrans && prs_opt.plan && prs_plan.layouts.length() && !seen_error();
	}
	unsigned int execute(function *) final override
	{
		return 0;
	}
};
} // namespace

ipa_opt_pass_d *make_pass_units(gcc::context *ctxt)
{
	return new pass_units(ctxt);
}
