/* SPDX-License-Identifier: MIT */
/* perseus_triggers.h: the constants of this plan, then what is the same in all. */
#include <string.h>

#include "codegen/codegen.h"
#include "codegen/emit.h"
#include "codegen/needs.h"
#include "codegen/view/text.h"

#define NAME_BYTES 120

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

/* What the file is, and that it is not to be edited. */
static void origin(struct strbuf *out, const struct view *v, const char *what)
{
	strbuf_printf(out, "/* SPDX-License-Identifier: MIT */\n/*\n * %s of `", what);
	text_comment(out, v->plan->program, NAME_BYTES);
	strbuf_puts(out, "`, written by perseus codegen.  Do not edit: change the plan and generate\n"
			 " * again; the same plan and tool version give this file byte for byte.");
}

void emit_provenance(struct strbuf *out, const struct view *v, const char *what)
{
	origin(out, v, what);
	strbuf_puts(out, "  See perseus_triggers.h\n * for the plan.\n */\n");
}

static void plan_facts(struct strbuf *out, const struct view *v)
{
	const struct plan *p = v->plan;

	origin(out, v, "Constants of the triggers");
	strbuf_puts(out, "\n *\n");
	fact(out, "plan", v->in->plan_name, v->in->sha256);
	fact(out, "program", p->program, NULL);
	fact(out, "build id", p->build_id, NULL);
	fact(out, "sites", "", p->sites_sha256 ? p->sites_sha256 : "-");
	fact(out, "model", "", p->model_sha256 ? p->model_sha256 : "-");
	fact(out, "platform", p->platform_name, p->platform_sha256 ? p->platform_sha256 : "-");
	fact(out, "processor", p->cpu ? p->cpu : "not checked", NULL);
	strbuf_printf(out, " * %-9s %u, numbers up to %u\n", "cores", p->n_cores, p->max_core_id);
	fact(out, "kind", plan_kind_words[v->kind], NULL);
	fact(out, "back end", codegen_backends[v->in->backend], NULL);
	if (v->steps.n && v->in->backend == CODEGEN_LINUX)
		fact(out, "steps by", codegen_frequencies[v->in->frequency], NULL);
	fact(out, "tool", "perseus " PERSEUS_VERSION, NULL);
	strbuf_puts(out, " */\n");
}

void emit_same_plan(struct strbuf *out, const struct view *v)
{
	strbuf_printf(out,
		      "\n#ifndef PERSEUS_PLAN_%.16s\n"
		      "#error \"perseus_triggers.h is of another plan: generate all files again\"\n#endif\n",
		      v->in->sha256);
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

static void flush_numbers(struct strbuf *out, const struct view *v)
{
	const struct plan_flush *f = v->plan->flushes;

	if (v->plan->n_flushes)
		strbuf_printf(out,
			      "\n/* Floating-point control (MXCSR without its flags): reviewed on entry of a "
			      "region, and what "
			      "is set there: %s. */\n"
			      "#define PERSEUS_FP_ENTRY (0x%04Xu)\n#define PERSEUS_FP_FLUSH (0x%04Xu)\n",
			      plan_flush_words[f->set], f->entry, plan_flush_bits(f->set));
}

/* What a thread remembers; the members are in the order of the points, so that a new one moves none. */
static void state(struct strbuf *out, const struct view *v)
{
	if (!needs(v, "state"))
		return;
	strbuf_puts(out,
		    "\n/*\n * What a thread remembers: written by that thread only.  The gap keeps what two\n"
		    " * threads write off one cache line.\n */\n"
		    "#define PERSEUS_GAP (128u)\n\nstruct perseus_thread_state {\n");
	if (needs(v, "moves"))
		strbuf_puts(out,
			    "\tuint32_t core; /* where its last pin held, PERSEUS_NO_CORE: not held */\n");
	if (needs(v, "sites"))
		strbuf_puts(out, "\tuint32_t site; /* CREATE_n while it creates there */\n");
	if (needs(v, "moves"))
		strbuf_puts(out, "\tuint64_t kept; /* pins that had nothing to do */\n");
	for (size_t i = 0; i < v->points.n; i++)
		if (needs_count(v, &v->points.at[i], PLAN_NONE))
			strbuf_printf(out, "\tuint64_t visits_%1$04u; /* of perseus_trigger_%1$04u */\n",
				      v->points.at[i].number);
	strbuf_puts(out, "\tuint8_t gap[PERSEUS_GAP];\n};\n");
}

static void declare_state(struct strbuf *out, const struct view *v)
{
	if (needs(v, "state"))
		strbuf_puts(out, "\nextern struct perseus_thread_state perseus_state[PERSEUS_THREADS];\n");
}

static void marks(struct strbuf *out, const struct view *v)
{
	if (!v->creates.n)
		return;
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

static void flushes(struct strbuf *out, const struct view *v)
{
	if (v->plan->n_flushes)
		strbuf_puts(out, "\n/* Regions with flush-to-zero: first thing in one, and on every way out "
				 "of it. */\n");
	for (size_t i = 0; i < v->plan->n_flushes; i++)
		strbuf_printf(out,
			      "void perseus_flush_%1$u_begin(void);\nvoid perseus_flush_%1$u_end(void);\n",
			      v->plan->flushes[i].number);
}

void emit_header(struct strbuf *out, const struct view *v)
{
	plan_facts(out, v);
	strbuf_puts(out, "#ifndef PERSEUS_TRIGGERS_GENERATED_H\n#define PERSEUS_TRIGGERS_GENERATED_H\n\n"
			 "#include <stdint.h>\n\n");
	strbuf_printf(out, "#define PERSEUS_PLAN \\\n\t\"%s\"\n", v->in->sha256);
	/* A grafted source asks for it, as no #if can compare texts. */
	strbuf_printf(out, "#define PERSEUS_PLAN_%.16s (1u)\n", v->in->sha256);
	strbuf_printf(out, "#define PERSEUS_THREADS (%zuu)\n", v->plan->n_threads);
	strbuf_puts(out, "\n/* A source that only calls the triggers defines this, so that no name meets one "
			 "of its own. */\n"
			 "#ifndef PERSEUS_CALLS_ONLY\n");
	threads(out, v);
	creates(out, v);
	numbers(out, "Cores, by the system's number.", "CORE", &v->cores);
	numbers(out, "Frequency domains.", "DOMAIN", &v->domains);
	numbers(out, "Frequency steps, kHz.", "STEP", &v->steps);
	if (needs(v, "no_core"))
		strbuf_puts(out, "#define PERSEUS_NO_CORE (0xFFFFFFFFu) /* its placement is left alone */\n");
	flush_numbers(out, v);
	emit_allowed(out, v);
	strbuf_puts(out, "#endif /* PERSEUS_CALLS_ONLY */\n\n#include \"perseus_status.h\"\n");
	state(out, v);
	strbuf_puts(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
	declare_state(out, v);
	marks(out, v);
	points(out, v);
	flushes(out, v);
	strbuf_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
