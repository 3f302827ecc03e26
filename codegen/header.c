/* SPDX-License-Identifier: MIT */
/* perseus_triggers.h: the constants of this plan, then what is the same in all. */
#include <string.h>

#include "codegen/emit.h"
#include "codegen/text.h"

#define NAME_BYTES 120

static const char fixed_part[] =
#include "codegen/header.h.in"
	;

static void fact(struct strbuf *out, const char *key, const char *value, const char *sha256)
{
	value = value ? value : "-";
	strbuf_printf(out, " * %-9s ", key);
	text_comment(out, value, NAME_BYTES);
	if (sha256) {
		strbuf_puts(out, *value ? "  sha256 " : "sha256 ");
		text_comment(out, sha256, NAME_BYTES);
	}
	strbuf_puts(out, "\n");
}

void emit_provenance(struct strbuf *out, const struct view *v, const char *what)
{
	const struct plan *p = v->plan;

	strbuf_printf(out, "/* SPDX-License-Identifier: MIT */\n/*\n * %s of `", what);
	text_comment(out, p->program, NAME_BYTES);
	strbuf_puts(out,
		    "`, written by perseus codegen.  Do not edit: change the plan and\n"
		    " * generate again; the same plan and tool version give this file byte for byte.\n *\n");
	fact(out, "plan", v->in->plan_name, v->in->sha256);
	fact(out, "program", p->program, NULL);
	fact(out, "build id", p->build_id, NULL);
	fact(out, "sites", "", p->sites_sha256 ? p->sites_sha256 : "-");
	fact(out, "model", "", p->model_sha256 ? p->model_sha256 : "-");
	fact(out, "platform", p->platform_name, p->platform_sha256 ? p->platform_sha256 : "-");
	fact(out, "processor", p->cpu ? p->cpu : "not checked", NULL);
	strbuf_printf(out, " * %-9s %u, numbers up to %u\n", "cores", p->n_cores, p->max_core_id);
	fact(out, "tool", "perseus " PERSEUS_VERSION, NULL);
	strbuf_puts(out, " */\n");
}

static void threads(struct strbuf *out, const struct view *v)
{
	strbuf_puts(out, "\n/* Thread instances of the plan. */\n");
	for (size_t i = 0; i < v->plan->n_threads; i++)
		strbuf_printf(out, "#define %s (%zuu)\n", v->thread[i], i);
}

static void creates(struct strbuf *out, const struct view *v)
{
	if (v->creates.n)
		strbuf_puts(out, "\n/* Call sites that create threads. */\n");
	for (size_t i = 0; i < v->creates.n; i++) {
		const struct plan_site *s = &v->plan->sites[v->creates.at[i]];

		strbuf_printf(out, "#define CREATE_%zu (%zuu) /* ", i + 1, i + 1);
		text_comment(out, s->callee, NAME_BYTES);
		strbuf_puts(out, " in ");
		text_comment(out, s->function, NAME_BYTES);
		strbuf_puts(out, ", ");
		text_comment(out, s->file ? s->file : s->unit, NAME_BYTES);
		strbuf_printf(out, ":%u */\n", s->line);
	}
}

static void numbers(struct strbuf *out, const char *title, const char *prefix, const struct view_ids *ids)
{
	if (ids->n)
		strbuf_printf(out, "\n/* %s */\n", title);
	for (size_t i = 0; i < ids->n; i++)
		strbuf_printf(out, "#define %s_%u (%uu)\n", prefix, ids->at[i], ids->at[i]);
}

static void marks(struct strbuf *out, const struct view *v)
{
	strbuf_puts(out, "\n/* Round the calls that create threads. */\n");
	for (size_t i = 1; i <= v->creates.n; i++)
		strbuf_printf(out, "void perseus_create_%zu_begin(void);\n", i);
	strbuf_puts(out, "void perseus_create_end(void);\n");
}

static void points(struct strbuf *out, const struct view *v)
{
	if (v->points.n)
		strbuf_puts(out, "\n/* Trigger points: called by the planned build. */\n");
	for (size_t i = 0; i < v->points.n; i++)
		strbuf_printf(out, "void perseus_trigger_%04u(void);\n", v->points.at[i].number);
}

void emit_header(struct strbuf *out, const struct view *v)
{
	emit_provenance(out, v, "Constants of the triggers");
	strbuf_puts(out, "#ifndef PERSEUS_TRIGGERS_GENERATED_H\n#define PERSEUS_TRIGGERS_GENERATED_H\n\n"
			 "#include <stdint.h>\n\n");
	strbuf_printf(out, "#define PERSEUS_PLAN \\\n\t\"%s\"\n", v->in->sha256);
	strbuf_printf(out, "#define PERSEUS_THREADS (%zuu)\n", v->plan->n_threads);
	threads(out, v);
	creates(out, v);
	numbers(out, "Cores, by the system's number.", "CORE", &v->cores);
	numbers(out, "Frequency domains.", "DOMAIN", &v->domains);
	numbers(out, "Frequency steps, kHz.", "STEP", &v->steps);
	strbuf_puts(out, fixed_part);
	marks(out, v);
	points(out, v);
	strbuf_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
