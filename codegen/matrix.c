/* SPDX-License-Identifier: MIT */
/*
 * perseus_matrix.csv: every thread and trigger of the plan with the generated
 * function and line that realises it, its place in the user's source, and the
 * evidence it rests on.  One row each, in the order of the plan.
 */
#include "codegen/emit.h"
#include "codegen/view/text.h"

static void text_field(struct strbuf *out, const char *s)
{
	text_csv(out, s);
	strbuf_puts(out, ",");
}

static void site_fields(struct strbuf *out, const struct plan *p, uint32_t site)
{
	const struct plan_site *s = site == PLAN_NONE ? NULL : &p->sites[site];

	text_field(out, s ? s->id : "");
	text_field(out, s ? s->instance : "");
	text_field(out, s ? s->unit : "");
	text_field(out, s ? s->function : "");
	text_field(out, s ? s->callee : "");
	text_field(out, s ? s->file : "");
	if (s)
		strbuf_printf(out, "%u", s->line);
	strbuf_puts(out, ",");
}

static void end_fields(struct strbuf *out, const char *evidence, const char *reason)
{
	text_field(out, evidence);
	text_csv(out, reason);
	strbuf_puts(out, "\n");
}

static void thread_row(struct strbuf *out, const struct view *v, size_t i)
{
	const struct plan_thread *t = &v->plan->threads[i];

	strbuf_printf(out, "threads[%zu],thread,,perseus_thread_table,%u,%s,", i, v->thread_line[i],
		      v->thread[i]);
	strbuf_puts(out, i ? "thread start,," : "program start,,");
	if (t->core == PLAN_NONE)
		strbuf_puts(out, "placement unchanged,");
	else
		strbuf_printf(out, "core %u,", t->core);
	site_fields(out, v->plan, i ? t->create_site : PLAN_NONE);
	end_fields(out, t->evidence, t->reason);
}

static void actions(struct strbuf *out, const struct plan_trigger *t)
{
	for (size_t i = 0; i < t->n_actions; i++) {
		const struct plan_action *a = &t->actions[i];

		strbuf_puts(out, i ? "; " : "");
		if (a->kind == PLAN_PIN)
			strbuf_printf(out, "core %u", a->core);
		else
			strbuf_printf(out, "domain %u to %u kHz", a->domain, a->khz);
	}
	strbuf_puts(out, ",");
}

static void function_field(struct strbuf *out, const struct view *v, const struct plan_trigger *t)
{
	if (t->at != PLAN_AT_CALL)
		strbuf_puts(out, "perseus_place,");
	else
		strbuf_printf(out, "perseus_trigger_%04u,", v->trigger_point[t - v->plan->triggers]);
}

static void trigger_row(struct strbuf *out, const struct view *v, size_t i)
{
	static const char *const point[] = {"program start,,", "thread start,,"};
	const struct plan_trigger *t = &v->plan->triggers[i];

	strbuf_printf(out, "triggers[%zu],trigger,%04u,", i, t->number);
	function_field(out, v, t);
	strbuf_printf(out, "%u,%s,", v->trigger_line[i], v->thread[t->thread]);
	if (t->at != PLAN_AT_CALL)
		strbuf_puts(out, point[t->at]);
	else
		strbuf_printf(out, "%s call,%u/%u,", t->after ? "after" : "before", t->first, t->every);
	actions(out, t);
	site_fields(out, v->plan, t->at == PLAN_AT_CALL ? t->site : PLAN_NONE);
	end_fields(out, t->evidence, t->reason);
}

static void flush_row(struct strbuf *out, const struct view *v, size_t i)
{
	const struct plan_flush *f = &v->plan->flushes[i];

	strbuf_printf(out, "flushes[%zu],flush,%u,perseus_flush_%u_begin,%u,,whole function,,%s,,,", i,
		      f->number, f->number, v->flush_line[i], plan_flush_words[f->set]);
	text_field(out, f->unit);
	text_field(out, f->function);
	strbuf_puts(out, ",");
	text_field(out, f->unit);
	strbuf_printf(out, "%u,", f->line);
	end_fields(out, f->evidence, f->reason);
}

void emit_matrix(struct strbuf *out, const struct view *v)
{
	strbuf_puts(
		out,
		"plan item,kind,number,generated function,line of perseus_triggers.c,thread,point,"
		"visit first/every,settings,site,instance,unit,function,callee,file,line,evidence,reason\n");
	for (size_t i = 0; i < v->plan->n_threads; i++)
		thread_row(out, v, i);
	for (size_t i = 0; i < v->plan->n_triggers; i++)
		trigger_row(out, v, i);
	for (size_t i = 0; i < v->plan->n_flushes; i++)
		flush_row(out, v, i);
}
