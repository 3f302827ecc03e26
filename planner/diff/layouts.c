/* SPDX-License-Identifier: MIT */
/* Fields and variables that one plan aligns and the other does not, or otherwise. */
#include <inttypes.h>
#include <string.h>

#include "lib/num.h"
#include "planner/diff/pair.h"

/* A declaration may have moved: its line is no part of what it is. */
static bool same_declaration(const struct plan_layout *a, const struct plan_layout *b)
{
	return a->kind == b->kind && !pair_differs(a->type, b->type) && !pair_differs(a->field, b->field) &&
	       !pair_differs(a->variable, b->variable) && !pair_differs(a->unit, b->unit) &&
	       !strcmp(a->file, b->file);
}

/* The place of @l among those of its plan that are the same declaration: two classes may have one name. */
static size_t layout_rank(const struct plan *plan, const struct plan_layout *l)
{
	size_t n = 0;

	for (const struct plan_layout *o = plan->layouts; o < l; o++)
		n += same_declaration(o, l);
	return n;
}

static const struct plan_layout *layout_twin(const struct plan *plan, const struct plan_layout *l,
					     size_t rank)
{
	for (size_t i = 0; i < plan->n_layouts; i++)
		if (same_declaration(&plan->layouts[i], l) && !rank--)
			return &plan->layouts[i];
	return NULL;
}

/* "64 bytes, size 16 to 128, offset 8 to 64" */
static void layout_value(struct strbuf *out, const struct plan_layout *l)
{
	strbuf_printf(out, "%" PRIu32 " bytes, size %" PRIu64 " to %" PRIu64, l->align, l->size,
		      l->size_after);
	if (l->kind == PLAN_LAYOUT_FIELD)
		strbuf_printf(out, ", offset %" PRIu64 " to %" PRIu64, l->offset, l->offset_after);
}

/* "; 112 bytes more, saves 1.01 s" */
static void layout_worth(struct strbuf *out, const struct plan_layout *l)
{
	char time[32];

	if (l->bytes)
		strbuf_printf(out, "; %" PRIu64 " bytes more", l->bytes);
	if (l->weighed)
		strbuf_printf(out, "%s saves %s", l->bytes ? "," : ";",
			      num_time(time, sizeof(time), (double)l->saves_ns * 1e-9));
}

/* What is believed of a layout that both have. */
static void tell_worth(struct pair *p, const struct plan_layout *old, const struct plan_layout *new)
{
	struct strbuf subject = STRBUF_INIT, text = STRBUF_INIT, name = STRBUF_INIT;
	char before[32] = "not weighed", after[32] = "not weighed";

	plan_layout_name(new, &name);
	pair_safe(&subject, name.s);
	if (old->weighed)
		num_time(before, sizeof(before), (double)old->saves_ns * 1e-9);
	if (new->weighed)
		num_time(after, sizeof(after), (double)new->saves_ns * 1e-9);
	strbuf_printf(&text, "what the layout of %s saves is %s instead of %s", subject.s, after, before);
	pair_add(p, DIFF_PROMISE, &subject, NULL, before, after, &text)->layout =
		(uint32_t)(new - p->plan[PAIR_NEW]->layouts);
	strbuf_release(&name);
}

/* Layouts and placement weighed: one of the four. */
static void tell_choice(struct pair *p, const struct plan_choice *old, const struct plan_choice *new)
{
	static const char *const names[] = {"neither layouts nor placement", "layouts alone",
					    "placement alone", "layouts and placement"};
	struct strbuf subject = STRBUF_INIT, text = STRBUF_INIT, before = STRBUF_INIT, after = STRBUF_INIT;
	const struct plan_choice *of[] = {old, new};
	struct strbuf *const to[] = {&before, &after};

	for (int i = 0; i < 2; i++) {
		char time[32];

		if (of[i])
			strbuf_printf(to[i], "%s with %" PRIu64 " bytes",
				      num_time(time, sizeof(time), (double)of[i]->time_ns * 1e-9),
				      of[i]->bytes);
		else
			strbuf_puts(to[i], "not weighed");
	}
	strbuf_puts(&subject, names[old ? old->kind : new->kind]);
	strbuf_printf(&text, "%s: %s instead of %s", subject.s, after.s, before.s);
	pair_add(p, DIFF_PROMISE, &subject, NULL, before.s, after.s, &text);
	strbuf_release(&before);
	strbuf_release(&after);
}

static void pair_choices(struct pair *p)
{
	const struct plan *old = p->plan[PAIR_OLD], *new = p->plan[PAIR_NEW];

	for (size_t i = 0; i < PLAN_CHOICES; i++) {
		const struct plan_choice *a = i < old->n_choices ? &old->choices[i] : NULL,
					 *b = i < new->n_choices ? &new->choices[i] : NULL;

		if ((a || b) &&
		    (!a || !b || a->time_ns != b->time_ns || a->bytes != b->bytes ||
		     a->bound_time_ns != b->bound_time_ns || pair_differs(a->evidence, b->evidence)))
			tell_choice(p, a, b);
	}
}

static void tell_layout(struct pair *p, enum diff_kind kind, const struct plan_layout *old,
			const struct plan_layout *new)
{
	struct strbuf subject = STRBUF_INIT, text = STRBUF_INIT, name = STRBUF_INIT;
	struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;

	plan_layout_name(new ? new : old, &name);
	pair_safe(&subject, name.s);
	strbuf_puts(&subject, " in ");
	pair_safe(&subject, new ? new->file : old->file);
	if (old)
		layout_value(&before, old);
	if (new)
		layout_value(&after, new);
	if (kind == DIFF_NOTE)
		strbuf_printf(&text, "what is said of the layout of %s is another", subject.s);
	else if (!new)
		strbuf_printf(&text, "%s is no longer aligned (%s)", subject.s, before.s);
	else
		strbuf_printf(&text, "%s is %s aligned: %s%s%s", subject.s, old ? "still" : "now", after.s,
			      old ? " instead of " : "", old ? before.s : "");
	if (kind != DIFF_NOTE)
		layout_worth(&text, new ? new : old);
	pair_add(p, kind, &subject, "layout", old ? before.s : NULL, new ? after.s : NULL, &text)->layout =
		new ? (uint32_t)(new - p->plan[PAIR_NEW]->layouts) : PLAN_NONE;
	strbuf_release(&name);
	strbuf_release(&before);
	strbuf_release(&after);
}

static bool sets_otherwise(const struct plan_layout *a, const struct plan_layout *b)
{
	return a->align != b->align || a->size != b->size || a->offset != b->offset ||
	       a->size_after != b->size_after || a->offset_after != b->offset_after;
}

/* What is said of both, to readers, and where they are declared. */
static bool says_otherwise(const struct plan_layout *a, const struct plan_layout *b)
{
	return a->line != b->line || a->bytes != b->bytes || pair_differs(a->breaks, b->breaks) ||
	       pair_differs(a->accept, b->accept) || pair_differs(a->evidence, b->evidence) ||
	       pair_differs(a->reason, b->reason);
}

void pair_layouts(struct pair *p)
{
	const struct plan *old = p->plan[PAIR_OLD], *new = p->plan[PAIR_NEW];

	for (size_t i = 0; i < new->n_layouts; i++) {
		const struct plan_layout *l = &new->layouts[i],
					 *was = layout_twin(old, l, layout_rank(new, l));

		if (!was)
			tell_layout(p, DIFF_ADDED, NULL, l);
		else if (sets_otherwise(was, l))
			tell_layout(p, DIFF_CHANGED, was, l);
		else if (was->weighed != l->weighed || was->saves_ns != l->saves_ns)
			tell_worth(p, was, l);
		else if (says_otherwise(was, l))
			tell_layout(p, DIFF_NOTE, was, l);
	}
	for (size_t i = 0; i < old->n_layouts; i++)
		if (!layout_twin(new, &old->layouts[i], layout_rank(old, &old->layouts[i])))
			tell_layout(p, DIFF_DROPPED, &old->layouts[i], NULL);
	pair_choices(p);
}
