/* SPDX-License-Identifier: MIT */
/* The platform files for Linux: what the start-up check compares, then the same text for every plan. */
#include "codegen/emit.h"
#include "codegen/parts.h"

static const char header_text[] =
#include "codegen/linux.h.in"
	;
static const char top_text[] =
#include "codegen/linux-top.c.in"
	;
static const char source_text[] =
#include "codegen/linux.c.in"
	;

static void add(struct strbuf *out, const char *text, const struct view *v)
{
	const struct part parts[] = {{"steps", v->steps.n > 0}, {"cpu", v->plan->cpu != NULL}, {NULL, false}};

	parts_add(out, text, parts);
}

void emit_linux_header(struct strbuf *out, const struct view *v)
{
	emit_provenance(out, v, "Linux interface of the triggers");
	add(out, header_text, v);
}

void emit_linux_source(struct strbuf *out, const struct view *v)
{
	const struct plan *p = v->plan;

	emit_provenance(out, v, "Linux part of the triggers");
	add(out, top_text, v);
	strbuf_printf(out,
		      "\n/* The planned machine: cores online, and the processor's name. */\n"
		      "#define PERSEUS_CORES (%u)\n",
		      p->n_cores);
	if (p->cpu)
		strbuf_printf(out, "#define PERSEUS_CPU   \"%s\"\n", p->cpu);
	if (v->steps.n)
		strbuf_printf(out, "#define PERSEUS_CORE_LIMIT (%uu) /* core numbers are below */\n",
			      p->max_core_id + 1);
	add(out, source_text, v);
}
