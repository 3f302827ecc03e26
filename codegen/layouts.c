/* SPDX-License-Identifier: MIT */
/* perseus_layouts.h: what the compiler gives the fields and variables of a plan, as assertions. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "codegen/emit.h"
#include "codegen/view/text.h"
#include "codegen/view/wrap.h"

/* Can @s stand in code as a type or a qualified name?  Names that only the compiler has can not. */
static bool is_written(const char *s)
{
	static const char other[] = "_:<>,* ";

	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(other, *s))
			return false;
	return true;
}

static bool is_identifier(const char *s)
{
	return is_written(s) && !s[strcspn(s, ":<>,* ")];
}

/* "PERSEUS_LAYOUTS_NET_H" of net.h: by its last part, as a unit includes it. */
static void section_name(struct strbuf *out, const char *file)
{
	const char *slash = strrchr(file, '/');

	strbuf_puts(out, "PERSEUS_LAYOUTS_");
	text_macro(out, slash ? slash + 1 : file);
}

static void layout_comment(struct strbuf *out, const struct plan_layout *l)
{
	bool field = l->kind == PLAN_LAYOUT_FIELD;
	struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;

	plan_layout_name(l, &name);
	text_comment(&text, name.s, 200);
	strbuf_puts(&text, ", ");
	text_comment(&text, l->file, 200);
	strbuf_printf(&text, ":%" PRIu32 ". ", l->line);
	wrap_reason(&text, l->reason, l->evidence);
	strbuf_printf(&text, " Without the plan: %" PRIu64 " bytes", l->size);
	if (field)
		strbuf_printf(&text, ", at %" PRIu64, l->offset);
	if (l->bytes)
		strbuf_printf(&text, "; with it %" PRIu64 " bytes of memory more", l->bytes);
	strbuf_puts(&text, ".");
	if (l->breaks) {
		strbuf_puts(&text, " Breaks: ");
		text_comment(&text, l->breaks, 400);
	}
	if (l->accept) {
		strbuf_puts(&text, " It may leave the program: ");
		text_comment(&text, l->accept, 400);
	}
	wrap_comment(out, 0, text.s);
	strbuf_release(&name);
	strbuf_release(&text);
}

/* "PERSEUS_LAYOUT(CONDITION, 3);" with the number of the layout in the list. */
static void layout_field(struct strbuf *out, const struct plan_layout *l, size_t i)
{
	strbuf_printf(out, "typedef %s perseus_layout_%zu;\n", l->type, i);
	strbuf_printf(out,
		      "PERSEUS_LAYOUT(sizeof(perseus_layout_%zu) == %" PRIu64 "u, \"layouts[%zu]: size\");\n",
		      i, l->size_after, i);
	strbuf_printf(out,
		      "PERSEUS_LAYOUT(offsetof(perseus_layout_%zu, %s) == %" PRIu64
		      "u, \"layouts[%zu]: place\");\n",
		      i, l->field, l->offset_after, i);
	strbuf_printf(out,
		      "PERSEUS_LAYOUT(__alignof__(perseus_layout_%zu) >= %" PRIu32
		      "u, \"layouts[%zu]: alignment\");\n",
		      i, l->align, i);
}

static void layout_variable(struct strbuf *out, const struct plan_layout *l, size_t i)
{
	strbuf_printf(out, "PERSEUS_LAYOUT(sizeof(%s) == %" PRIu64 "u, \"layouts[%zu]: size\");\n",
		      l->variable, l->size, i);
	strbuf_printf(out, "PERSEUS_LAYOUT(__alignof__(%s) >= %" PRIu32 "u, \"layouts[%zu]: alignment\");\n",
		      l->variable, l->align, i);
}

static void emit_layout(struct strbuf *out, const struct plan_layout *l, size_t i)
{
	bool field = l->kind == PLAN_LAYOUT_FIELD;

	strbuf_puts(out, "\n#ifdef ");
	section_name(out, l->file);
	strbuf_puts(out, "\n");
	layout_comment(out, l);
	if (field ? !is_written(l->type) || !is_identifier(l->field) : !is_written(l->variable))
		strbuf_puts(out,
			    "/* A name that only the compiler has: the plugin compares it, C cannot. */\n");
	else if (field)
		layout_field(out, l, i);
	else
		layout_variable(out, l, i);
	strbuf_puts(out, "#endif\n");
}

void emit_layouts(struct strbuf *out, const struct view *v)
{
	if (!v->plan->n_layouts)
		return;
	emit_provenance(out, v, "Layouts");
	wrap_comment(out, 0,
		     "What the compiler gives fields and variables with the plan. No generated file "
		     "includes this one. A unit that is compiled with the plan may: behind the "
		     "declarations, with the macro of the file that they stand in defined in front. The "
		     "plugin compares the same figures, and more, in every unit.");
	strbuf_puts(out, "#include <stddef.h>\n\n#ifndef PERSEUS_LAYOUT\n#ifdef __cplusplus\n"
			 "#define PERSEUS_LAYOUT(condition, text) static_assert(condition, text)\n#else\n"
			 "#define PERSEUS_LAYOUT(condition, text) _Static_assert(condition, text)\n#endif\n"
			 "#endif\n");
	for (size_t i = 0; i < v->plan->n_layouts; i++)
		emit_layout(out, &v->plan->layouts[i], i);
}
