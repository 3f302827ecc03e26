/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Under -flto probes and triggers are put in at the link.  Whoever leaves the
 * plugin out there gets a program without them, and nobody is left to say so:
 * cc1 was done long ago, and lto1 knows nothing of us.
 *
 * So cc1 leaves a top-level asm in the LTO stream.  A plugin in the compiler
 * that ends the way of the stream (cc1 itself for the fat half of an object,
 * lto1 when it makes assembler text) takes it away again before it is printed;
 * partitioning and optimisation never look at such asm statements.  Where the
 * plugin is missing it becomes
 *
 *   an L line of .perseus.sites, which record, denormals and sites report (not for
 *   a plan, whose program has no such section);
 *   one .warning of the assembler per link.  (Not a .gnu.warning section: one
 *   under --fatal-warnings would break the build, and gold ignores it.)
 *
 * So it does where the plugin is there, with arguments for something else: counters
 * of denormals are put in by passes that probes of calls do not run.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/names.h"
#include "perseus/sites.h"
#include "gcc-plugin/sites/facts.h"
#include "gcc-plugin/sites/lto-mark.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/base/warn.h"

#define MARK     "\t# perseus: taken away again by the plugin at the link\n"
#define MARK_DEN "\t# perseus: taken away again by the plugin that counts denormals at the link\n"

static unsigned n_calls;
static bool denormals; /* of this unit are to be counted */
static char *digits;   /* of the number in the mark */

void lto_mark_call(void)
{
	n_calls++;
	if (digits) {
		char text[12];

		snprintf(text, sizeof(text), "%08u", n_calls % 100000000);
		memcpy(digits, text, 8);
	}
}

void lto_mark_denormals(void)
{
	denormals = true;
}

static void add_message(struct text *out)
{
	enum warn_level level = warn_level(WARN_LTO_LINK);
	const char *what = prs_opt.plan ? "triggers" : denormals ? "counters of denormals" : "probes";

	if (level == WARN_OFF)
		return;
	text_add(out,
		 "\t.ifndef .Lperseus_lto_link\n\t.set .Lperseus_lto_link, 1\n"
		 "\t.%s \"perseus: compiled with -flto and the plugin, linked without it, so there are no "
		 "%s: add %s to the link step [-W%sperseus-lto-link]\"\n\t.endif\n",
		 level == WARN_ERROR ? "error" : "warning", what,
		 prs_opt.plan || denormals ? "-fplugin=perseus.so and its arguments" : "-fplugin=perseus.so",
		 level == WARN_ERROR ? "error=" : "");
}

/* The line of .perseus.sites, whose number of calls is known later, but before the stream is written. */
static size_t add_line(struct text *out)
{
	struct text unit = {NULL, 0, 0};
	size_t at;

	text_field(&unit, name_of_unit());
	text_add(out, "\t.pushsection\t" PRS_SITES_SECTION ",\"\",@progbits\n\t.ascii\t\"L\\t");
	at = out->n;
	text_str(out, "00000000\\t");
	text_quoted(out, text_get(&unit));
	text_str(out, "\\n\"\n\t.popsection\n");
	text_release(&unit);
	return at;
}

/* PLUGIN_ALL_IPA_PASSES_START, in the compiler proper. */
static void leave_mark(void *, void *)
{
	bool probes = prs_opt.calls || prs_opt.memory || denormals;
	struct text out = {NULL, 0, 0};
	asm_node *node;
	size_t at = 0;

	if (in_lto_p || !flag_generate_lto || !(probes || prs_opt.plan) || seen_error())
		return;
	text_str(&out, denormals ? MARK_DEN : MARK);
	if (probes)
		at = add_line(&out);
	add_message(&out);
	node = symtab->finalize_toplevel_asm(build_string((int)out.n + 1, text_get(&out)));
	if (probes)
		digits = const_cast<char *>(TREE_STRING_POINTER(node->asm_str)) + at;
	text_release(&out);
}

static bool begins(const asm_node *node, const char *text)
{
	return gcc_is_basic_asm(node) && TREE_STRING_LENGTH(node->asm_str) > (int)strlen(text) &&
	       !strncmp(TREE_STRING_POINTER(node->asm_str), text, strlen(text));
}

/* Does it stand for what is put in here, or for what is not wanted any more? */
static bool is_mark(const asm_node *node)
{
	bool others = prs_opt.calls || prs_opt.memory || prs_opt.plan;

	return (begins(node, MARK) && (others || !prs_opt.denormal)) ||
	       (begins(node, MARK_DEN) && (prs_opt.denormal || !others));
}

/* PLUGIN_ALL_IPA_PASSES_END: the stream is written, the assembler text is not. */
static void take_mark(void *, void *)
{
	asm_node *node = symtab->first_asm_symbol();
	bool marked = false;

	digits = NULL;
	for (const asm_node *n = node; n && !marked; n = GCC_NEXT_ASM(n))
		marked = is_mark(n);
	if (!marked)
		return;
	symtab->clear_asm_symbols();
	for (; node; node = GCC_NEXT_ASM(node))
		if (!is_mark(node))
			gcc_add_asm_again(node);
}

void lto_mark_install(const char *plugin)
{
	register_callback(plugin, PLUGIN_ALL_IPA_PASSES_START, leave_mark, NULL);
	register_callback(plugin, PLUGIN_ALL_IPA_PASSES_END, take_mark, NULL);
}
