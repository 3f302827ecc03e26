/* SPDX-License-Identifier: MIT */
/* perseus_triggers.c: table of threads, their placement, one function per trigger point. */
#include <stdlib.h>
#include <string.h>

#include "codegen/emit.h"
#include "codegen/text.h"
#include "codegen/wrap.h"

#define NAME_BYTES 120

static const char settings_part[] =
#include "codegen/source.c.in"
	;
static const char step_part[] =
#include "codegen/step.c.in"
	;
static const char threads_part[] =
#include "codegen/threads.c.in"
	;
static const char creation_part[] =
#include "codegen/creation.c.in"
	;
static const char visits_part[] =
#include "codegen/visits.c.in"
	;
static const char due_part[] =
#include "codegen/due.c.in"
	;

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

static void table_row(struct strbuf *out, struct view *v, size_t i)
{
	const struct plan_thread *t = &v->plan->threads[i];
	uint32_t create = view_create_number(v, t->create_site);
	struct strbuf text = STRBUF_INIT;

	text_comment(&text, t->name, NAME_BYTES);
	wrap_reason(&text, t->reason, t->evidence);
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

static void actions(struct strbuf *out, int indent, const struct plan_trigger *t)
{
	for (size_t i = 0; i < t->n_actions; i++) {
		const struct plan_action *a = &t->actions[i];

		tabs(out, indent);
		if (a->kind == PLAN_PIN)
			strbuf_printf(out, "perseus_pin(CORE_%u);\n", a->core);
		else
			strbuf_printf(out, "perseus_step(DOMAIN_%u, STEP_%u);\n", a->domain, a->khz);
	}
}

/* Comment and actions of trigger @i, which needs no counter. */
static void start_trigger(struct strbuf *out, struct view *v, size_t i, int indent)
{
	const struct plan_trigger *t = &v->plan->triggers[i];
	struct strbuf text = STRBUF_INIT;

	strbuf_printf(&text, "trigger %04u", t->number);
	wrap_reason(&text, t->reason, t->evidence);
	comment(out, indent, &text);
	v->trigger_line[i] = line_of(v, out);
	actions(out, indent, t);
}

/* All triggers of @thread at @at; false if there is none. */
static bool start_triggers(struct strbuf *out, struct view *v, enum plan_point at, uint32_t thread,
			   int indent)
{
	bool any = false;

	for (size_t i = 0; i < v->plan->n_triggers; i++) {
		if (!view_at(&v->plan->triggers[i], at, thread))
			continue;
		if (!any && at == PLAN_AT_THREAD_START)
			strbuf_printf(out, "\tcase %s:\n", v->thread[thread]);
		any = true;
		start_trigger(out, v, i, indent);
	}
	return any;
}

static bool any_at(const struct plan *p, enum plan_point at)
{
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->triggers[i].at == at)
			return true;
	return false;
}

static void place(struct strbuf *out, struct view *v)
{
	strbuf_puts(out,
		    "\n/* ---- thread start ---------------------------------------------------------- */\n\n"
		    "static void perseus_place(uint32_t instance)\n{\n"
		    "\tuint32_t core = perseus_thread_table[instance].core;\n\n"
		    "\tif (core != PERSEUS_NO_CORE) {\n\t\tperseus_pin(core);\n\t}\n");
	if (any_at(v->plan, PLAN_AT_THREAD_START)) {
		strbuf_puts(out, "\tswitch (instance) {\n");
		for (uint32_t i = 0; i < v->plan->n_threads; i++)
			if (start_triggers(out, v, PLAN_AT_THREAD_START, i, 2))
				strbuf_puts(out, "\t\tbreak;\n");
		strbuf_puts(out, "\tdefault: /* nothing else to set */\n\t\tbreak;\n\t}\n");
	}
	strbuf_puts(out, "}\n");
}

static void program_start(struct strbuf *out, struct view *v)
{
	strbuf_puts(out, "\nstatic void perseus_check_machine(void)\n{\n"
			 "\tif (perseus_platform_start() == PERSEUS_SET) {\n");
	strbuf_puts(out, "\t\tperseus_status.machine = PERSEUS_MACHINE_PLANNED;\n\t} else {\n"
			 "\t\tperseus_status.machine = PERSEUS_MACHINE_FOREIGN;\n\t}\n}\n");
	strbuf_puts(out, "\nstatic void perseus_start(void)\n{\n\tstatic bool placed = false;\n\n"
			 "\tif (perseus_status.machine == PERSEUS_MACHINE_UNCHECKED) {\n"
			 "\t\tperseus_check_machine();\n\t}\n\tif (!placed) {\n"
			 "\t\tif (perseus_platform_in_main() == 1u) {\n\t\t\tplaced = true;\n");
	strbuf_printf(out, "\t\t\tperseus_instance = %s;\n\t\t\tperseus_place(%s);\n", v->thread[0],
		      v->thread[0]);
	start_triggers(out, v, PLAN_AT_PROGRAM_START, 0, 3);
	strbuf_puts(out, "\t\t}\n\t}\n}\n");
}

static void call_trigger(struct strbuf *out, struct view *v, size_t i)
{
	const struct plan_trigger *t = &v->plan->triggers[i];
	struct strbuf text = STRBUF_INIT;

	strbuf_printf(&text, "trigger %04u, visit %u", t->number, t->first);
	if (t->every)
		strbuf_printf(&text, " and every %u after", t->every);
	wrap_reason(&text, t->reason, t->evidence);
	comment(out, 2, &text);
	v->trigger_line[i] = line_of(v, out);
	if (t->every)
		strbuf_printf(out, "\t\tif (perseus_due(visits, %uu, %uu)) {\n", t->first, t->every);
	else
		strbuf_printf(out, "\t\tif (visits == %uu) {\n", t->first);
	actions(out, 3, t);
	strbuf_puts(out, "\t\t}\n");
}

static void point_case(struct strbuf *out, struct view *v, const struct view_point *p, uint32_t thread)
{
	bool any = false;

	for (size_t i = 0; i < v->plan->n_triggers; i++) {
		const struct plan_trigger *t = &v->plan->triggers[i];

		if (t->thread != thread || !view_in_point(v, p, t))
			continue;
		if (!any)
			strbuf_printf(out, "\tcase %s:\n", v->thread[thread]);
		any = true;
		call_trigger(out, v, i);
	}
	if (any)
		strbuf_puts(out, "\t\tbreak;\n");
}

static void point(struct strbuf *out, struct view *v, const struct view_point *p)
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
	strbuf_printf(
		out,
		"void perseus_trigger_%04u(void)\n{\n\tstatic __thread uint64_t visits = 0u; /* D1 */\n\n"
		"\tperseus_visit(&visits);\n\tswitch (perseus_instance) {\n",
		p->number);
	for (uint32_t i = 0; i < v->plan->n_threads; i++)
		point_case(out, v, p, i);
	strbuf_puts(out, "\tdefault: /* other threads keep their place */\n\t\tbreak;\n\t}\n}\n");
}

static void create_marks(struct strbuf *out, const struct view *v)
{
	strbuf_puts(out, "\n/* ---- creation: the creator decides which instance the new thread is "
			 "------ */\n");
	for (size_t i = 1; i <= v->creates.n; i++)
		strbuf_printf(out,
			      "\nvoid perseus_create_%zu_begin(void)\n{\n\tperseus_site = CREATE_%zu;\n}\n",
			      i, i);
}

static bool any_repeated(const struct plan *p)
{
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->triggers[i].at == PLAN_AT_CALL && p->triggers[i].every)
			return true;
	return false;
}

void emit_source(struct strbuf *out, struct view *v)
{
	emit_provenance(out, v, "Triggers");
	strbuf_puts(out,
		    "/*\n * Deviation from MISRA C:2012:\n"
		    " *   D1  Rule 1.2  __thread is an extension of the compiler: C11 _Thread_local would\n"
		    " *                 deviate from Rule 1.4\n */\n"
		    "#include \"perseus_triggers.h\"\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
		    "#include \"perseus_platform_linux.h\"\n");
	table(out, v);
	strbuf_puts(out, settings_part);
	if (v->steps.n)
		strbuf_puts(out, step_part);
	place(out, v);
	program_start(out, v);
	strbuf_puts(out, threads_part);
	create_marks(out, v);
	strbuf_puts(out, creation_part);
	if (!v->points.n)
		return;
	strbuf_puts(
		out,
		"\n/* ---- trigger points ---------------------------------------------------------- */\n");
	strbuf_puts(out, visits_part);
	if (any_repeated(v->plan))
		strbuf_puts(out, due_part);
	for (size_t i = 0; i < v->points.n; i++)
		point(out, v, &v->points.at[i]);
}
