/* SPDX-License-Identifier: MIT */
/* perseus_triggers.plan: what the plugin needs, in the order of perseus/triggers.h. */
#include <inttypes.h>

#include "codegen/emit.h"
#include "codegen/view/text.h"
#include "perseus/sites.h"
#include "perseus/triggers.h"

static void site_fields(struct strbuf *out, const struct plan_site *s, const char *side)
{
	strbuf_printf(out, " %s %s", s->id, s->instance);
	if (side)
		strbuf_printf(out, " %s", side);
	strbuf_puts(out, " ");
	strbuf_percent(out, s->unit);
	strbuf_puts(out, " ");
	strbuf_percent(out, s->function);
	strbuf_puts(out, " ");
	strbuf_percent(out, s->callee);
	strbuf_printf(out, " %u", (unsigned)s->line);
	if (s->equal && s->near)
		strbuf_printf(out, " %u %s", (unsigned)s->equal, s->near);
	strbuf_puts(out, "\n");
}

/* "layout field TYPE FIELD FILE LINE ALIGN SIZE OFFSET SIZE-THEN OFFSET-THEN [EVIDENCE [accepted]]", or the variable's */
static void layout_line(struct strbuf *out, const struct plan_layout *l)
{
	bool field = l->kind == PLAN_LAYOUT_FIELD;

	strbuf_printf(out, "layout %s ", plan_layout_words[l->kind]);
	strbuf_percent(out, field ? l->type : l->variable);
	strbuf_puts(out, " ");
	strbuf_percent(out, field ? l->field : l->unit ? l->unit : "-");
	strbuf_puts(out, " ");
	strbuf_percent(out, l->file);
	strbuf_printf(out, " %" PRIu32 " %" PRIu32 " %" PRIu64, l->line, l->align, l->size);
	if (field)
		strbuf_printf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64, l->offset, l->size_after,
			      l->offset_after);
	else
		strbuf_printf(out, " %" PRIu64, l->size_after);
	if ((l->evidence && *l->evidence) || l->accept) {
		strbuf_puts(out, " ");
		strbuf_percent(out, l->evidence);
	}
	strbuf_puts(out, l->accept ? " accepted\n" : "\n");
}

void emit_plan(struct strbuf *out, const struct view *v)
{
	const struct plan_site *sites = v->plan->sites;
	size_t begin = out->len,
	       lines = 1 + v->creates.n + v->points.n + v->plan->n_flushes + v->plan->n_layouts;

	strbuf_printf(out, "perseus-triggers %d\nplan %s\n", PRS_TRIGGERS_VERSION, v->in->sha256);
	if (plan_calls_code(v->plan)) {
		strbuf_puts(out, "start\n");
		lines++;
	}
	for (size_t i = 0; i < v->creates.n; i++) {
		strbuf_printf(out, "create %zu", i + 1);
		site_fields(out, &sites[v->creates.at[i]], NULL);
	}
	for (size_t i = 0; i < v->points.n; i++) {
		const struct view_point *p = &v->points.at[i];

		strbuf_printf(out, "call %04u", p->number);
		site_fields(out, &sites[p->site], p->after ? "after" : "before");
	}
	for (size_t i = 0; i < v->plan->n_flushes; i++) {
		const struct plan_flush *f = &v->plan->flushes[i];

		strbuf_printf(out, "flush %u ", f->number);
		strbuf_percent(out, f->unit);
		strbuf_puts(out, " ");
		strbuf_percent(out, f->function);
		strbuf_printf(out, " %u\n", f->line);
	}
	for (size_t i = 0; i < v->plan->n_layouts; i++)
		layout_line(out, &v->plan->layouts[i]);
	strbuf_printf(out, "end %zu %016llx\n", lines,
		      (unsigned long long)prs_fnv64(PRS_FNV_INIT, out->s + begin, out->len - begin));
}
