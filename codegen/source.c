/* SPDX-License-Identifier: MIT */
/* perseus_triggers.c: table of threads, their placement, one function per trigger point. */
#include <stdlib.h>
#include <string.h>

#include "codegen/emit.h"
#include "codegen/needs.h"
#include "codegen/view/text.h"
#include "codegen/view/wrap.h"

#define NAME_BYTES 120

/* The line that follows in @out; @v remembers how far it has counted. */
static uint32_t line_of(struct view *v, const struct strbuf *out)
{
	for (; v->counted < out->len; v->counted++)
		v->newlines += out->s[v->counted] == '\n';
	return v->newlines + 1;
}

static void comment(struct strbuf *out, int tabs, struct strbuf *text)
{
	if (text->len)
		wrap_comment(out, tabs, text->s);
	strbuf_release(text);
}

/* Why something is set; what the plan leaves open is said. */
static void because(struct strbuf *text, const char *reason, const char *evidence)
{
	wrap_reason(text, reason && *reason ? reason : "the plan gives no reason", evidence);
}

static void table_row(struct strbuf *out, struct view *v, size_t i)
{
	const struct plan_thread *t = &v->plan->threads[i];
	uint32_t create = view_create_number(v, t->create_site);
	struct strbuf text = STRBUF_INIT;

	text_comment(&text, t->name, NAME_BYTES);
	if (t->core == PLAN_NONE)
		wrap_reason(&text, t->reason, t->evidence);
	else
		because(&text, t->reason, t->evidence);
	comment(out, 1, &text);
	v->thread_line[i] = line_of(v, out);
	strbuf_printf(out, "\t[%s] = {%s, ", v->thread[i],
		      t->creator == PLAN_NONE ? "PERSEUS_NO_THREAD" : v->thread[t->creator]);
	if (create)
		strbuf_printf(out, "CREATE_%u, ", create);
	else
		strbuf_puts(out, "PERSEUS_NO_SITE, ");
	strbuf_printf(out, "%uu, ", t->ordinal);
	if (t->core == PLAN_NONE)
		strbuf_puts(out, "PERSEUS_NO_CORE}");
	else
		strbuf_printf(out, "CORE_%u}", t->core);
	strbuf_puts(out, ",\n");
}

static void table(struct strbuf *out, struct view *v)
{
	const struct plan *p = v->plan;

	strbuf_puts(out, "\nconst char perseus_plan_sha256[65] = PERSEUS_PLAN;\n");
	strbuf_puts(out, "\n/* Creator, creating site, ordinal there, core at the start. */\n"
			 "const struct perseus_thread_row perseus_thread_table[PERSEUS_THREADS] = {\n");
	for (size_t i = 0; i < p->n_threads; i++)
		table_row(out, v, i);
	strbuf_puts(out, "};\n");
}

static void tabs(struct strbuf *out, int n)
{
	while (n-- > 0)
		strbuf_puts(out, "\t");
}

/* A core is set for @thread; where threads move, its row remembers it. */
static void pin(struct strbuf *out, const struct view *v, uint32_t thread)
{
	strbuf_puts(out, "perseus_pin(");
	if (needs(v, "moves"))
		strbuf_printf(out, "%s, ", v->thread[thread]);
}

/* The settings of @t. */
static void actions(struct strbuf *out, const struct view *v, int indent, const struct plan_trigger *t)
{
	for (size_t i = 0; i < t->n_actions; i++) {
		const struct plan_action *a = &t->actions[i];

		tabs(out, indent);
		if (a->kind == PLAN_PIN) {
			pin(out, v, t->thread);
			strbuf_printf(out, "CORE_%u);\n", a->core);
		} else {
			strbuf_printf(out, "perseus_step(DOMAIN_%u, STEP_%u);\n", a->domain, a->khz);
		}
	}
}

/* ---- starts ---- */

/*
 * What is set when @thread starts, for main at the start of the program: its
 * core, from the row that is named by a constant so that a proof sees it, then
 * its triggers.
 */
static void start_thread(struct strbuf *out, struct view *v, uint32_t thread, int indent)
{
	const struct plan_thread *row = &v->plan->threads[thread];

	if (row->core != PLAN_NONE) {
		tabs(out, indent); /* why stands at the row */
		pin(out, v, thread);
		strbuf_printf(out, "perseus_thread_table[%s].core);\n", v->thread[thread]);
	}
	for (size_t i = 0; i < v->plan->n_triggers; i++) {
		const struct plan_trigger *t = &v->plan->triggers[i];
		struct strbuf text = STRBUF_INIT;

		if (t->at == PLAN_AT_CALL || t->thread != thread)
			continue;
		strbuf_printf(&text, "trigger %04u", t->number);
		because(&text, t->reason, t->evidence);
		comment(out, indent, &text);
		v->trigger_line[i] = line_of(v, out);
		actions(out, v, indent, t);
	}
}

/* Every thread of the plan has its case: who comes by the default is none of them. */
static void start_switch(struct strbuf *out, struct view *v)
{
	uint32_t n = (uint32_t)v->plan->n_threads, without = 0;

	strbuf_puts(out, "\tswitch (self) {\n");
	for (uint32_t i = 0; i < n; i++) {
		if (!plan_sets_at_start(v->plan, i))
			continue;
		strbuf_printf(out, "\tcase %s:\n", v->thread[i]);
		start_thread(out, v, i, 2);
		strbuf_puts(out, "\t\tbreak;\n");
	}
	for (uint32_t i = 0; i < n; i++)
		if (!plan_sets_at_start(v->plan, i)) {
			strbuf_printf(out, "\tcase %s:\n", v->thread[i]);
			without++;
		}
	if (without)
		strbuf_puts(out, "\t\tbreak; /* nothing is set at the start */\n");
	strbuf_puts(out, "\tdefault: /* no thread of the plan */\n"
			 "\t\tperseus_platform_count(&perseus_status.not_entered);\n\t\tbreak;\n\t}\n");
}

/* Its contract stands at its declaration, in perseus_support.h. */
static void codegen_source_place(struct strbuf *out, struct view *v)
{
	strbuf_puts(out, "\n/* What is set at the start of the calling thread, which is @self. */\n"
			 "static void perseus_place(uint32_t self)\n{\n");
	start_switch(out, v);
	strbuf_puts(out, "}\n");
}

/* Round the calls that create threads. */
static void create_marks(struct strbuf *out, const struct view *v)
{
	for (size_t i = 1; i <= v->creates.n; i++)
		strbuf_printf(out,
			      "\n/*@ assigns perseus_status, perseus_state[0 .. PERSEUS_THREADS - 1]; "
			      "*/\nvoid perseus_create_%zu_begin(void)\n{\n\tperseus_begin(CREATE_%zu);\n}\n",
			      i, i);
}

/* ---- points ---- */

/* The visits on which @t acts, as a condition; nothing if on all. */
static bool codegen_source_condition(struct strbuf *out, const struct plan_trigger *t)
{
	if (!needs_visits(t))
		return false;
	if (!t->every)
		strbuf_printf(out, "\t\tif (visits == %uu) {\n", t->first);
	else if (t->every == 1)
		strbuf_printf(out, "\t\tif (visits >= %uu) {\n", t->first);
	else if (t->first == 1)
		strbuf_printf(out, "\t\tif (((visits - 1u) %% %uu) == 0u) {\n", t->every);
	else
		strbuf_printf(out, "\t\tif (perseus_due(visits, %uu, %uu)) {\n", t->first, t->every);
	return true;
}

static void call_trigger(struct strbuf *out, struct view *v, size_t i)
{
	const struct plan_trigger *t = &v->plan->triggers[i];
	struct strbuf text = STRBUF_INIT;

	strbuf_printf(&text, "trigger %04u, ", t->number);
	if (!needs_visits(t))
		strbuf_puts(&text, "every visit");
	else
		strbuf_printf(&text, "visit %u", t->first);
	if (needs_visits(t) && t->every)
		strbuf_printf(&text, " and every %u after", t->every);
	because(&text, t->reason, t->evidence);
	comment(out, 2, &text);
	v->trigger_line[i] = line_of(v, out);
	if (codegen_source_condition(out, t)) {
		actions(out, v, 3, t);
		strbuf_puts(out, "\t\t}\n");
	} else {
		actions(out, v, 2, t);
	}
}

static void begin_case(struct strbuf *out, const struct view *v, const struct view_point *p, uint32_t thread)
{
	strbuf_printf(out, "\tcase %s:\n", v->thread[thread]);
	if (needs_count(v, p, thread))
		strbuf_printf(out,
			      "\t\tperseus_state[%1$s].visits_%2$04u++;\n"
			      "\t\tvisits = perseus_state[%1$s].visits_%2$04u;\n",
			      v->thread[thread], p->number);
}

/* The cases of @p: its triggers are in the order of their threads. */
static void point_cases(struct strbuf *out, struct view *v, const struct view_point *p)
{
	uint32_t thread = PLAN_NONE;

	for (size_t i = 0; i < p->triggers.n; i++) {
		const struct plan_trigger *t = &v->plan->triggers[p->triggers.at[i]];

		if (t->thread != thread) {
			if (thread != PLAN_NONE)
				strbuf_puts(out, "\t\tbreak;\n");
			thread = t->thread;
			begin_case(out, v, p, thread);
		}
		call_trigger(out, v, p->triggers.at[i]);
	}
	strbuf_puts(out, "\t\tbreak;\n");
}

/* The sentence above the function of @p. */
static void point_comment(struct strbuf *out, const struct view *v, const struct view_point *p)
{
	const struct plan_site *s = &v->plan->sites[p->site];
	struct strbuf text = STRBUF_INIT;

	strbuf_puts(&text, p->after ? "after the call of " : "before the call of ");
	text_comment(&text, s->callee, NAME_BYTES);
	strbuf_puts(&text, " in ");
	text_comment(&text, s->function, NAME_BYTES);
	strbuf_puts(&text, ", ");
	text_comment(&text, s->file ? s->file : s->unit, NAME_BYTES);
	strbuf_printf(&text, ":%u", s->line);
	strbuf_puts(out, "\n");
	comment(out, 0, &text);
}

static void point(struct strbuf *out, struct view *v, const struct view_point *p)
{
	point_comment(out, v, p);
	strbuf_printf(out, "/*@ assigns perseus_status%s; */\n",
		      needs(v, "state") ? ", perseus_state[0 .. PERSEUS_THREADS - 1]" : "");
	strbuf_printf(out, "void perseus_trigger_%04u(void)\n{\n", p->number);
	if (needs_count(v, p, PLAN_NONE))
		strbuf_puts(out, "\tuint64_t visits;\n\n");
	strbuf_puts(out, "\tswitch (perseus_platform_self()) {\n");
	point_cases(out, v, p);
	strbuf_puts(out, "\tdefault: /* other threads keep their place */\n\t\tbreak;\n\t}\n}\n");
}

/* ---- regions ---- */

static void flush_comment(struct strbuf *out, const struct view *v, size_t i)
{
	const struct plan_flush *f = &v->plan->flushes[i];
	struct strbuf text = STRBUF_INIT;

	strbuf_puts(&text, "flush in ");
	text_comment(&text, f->function, NAME_BYTES);
	strbuf_puts(&text, ", ");
	text_comment(&text, f->unit, NAME_BYTES);
	if (f->line)
		strbuf_printf(&text, ":%u", f->line);
	because(&text, f->reason, f->evidence);
	strbuf_puts(out, "\n");
	comment(out, 0, &text);
}

static void flush(struct strbuf *out, struct view *v, size_t i)
{
	uint32_t number = v->plan->flushes[i].number;

	flush_comment(out, v, i);
	v->flush_line[i] = line_of(v, out) + 3; /* its statement */
	strbuf_printf(out,
		      "/*@ assigns perseus_status; */\n"
		      "void perseus_flush_%1$u_begin(void)\n{\n\tperseus_region_begin();\n}\n\n"
		      "/*@ assigns perseus_status; */\n"
		      "void perseus_flush_%1$u_end(void)\n{\n\tperseus_region_end();\n}\n",
		      number);
}

void emit_source(struct strbuf *out, struct view *v)
{
	emit_provenance(out, v, "Triggers");
	strbuf_puts(out, "#include \"perseus_triggers.h\"\n\n#include <stdint.h>\n\n"
			 "#include \"perseus_support.h\"\n");
	emit_same_plan(out, v);
	table(out, v);
	if (needs(v, "place"))
		codegen_source_place(out, v);
	create_marks(out, v);
	for (size_t i = 0; i < v->points.n; i++)
		point(out, v, &v->points.at[i]);
	for (size_t i = 0; i < v->plan->n_flushes; i++)
		flush(out, v, i);
}
