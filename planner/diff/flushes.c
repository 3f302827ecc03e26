/* SPDX-License-Identifier: MIT */
/* Functions that one plan flushes and the other does not, or otherwise. */
#include <string.h>

#include "planner/diff/pair.h"

static const struct plan_flush *same_function(const struct plan *plan, const struct plan_flush *f)
{
	for (size_t i = 0; i < plan->n_flushes; i++)
		if (!strcmp(plan->flushes[i].unit, f->unit) &&
		    !strcmp(plan->flushes[i].function, f->function))
			return &plan->flushes[i];
	return NULL;
}

/* "ftz-daz, register 0x1f80" */
static void flush_value(struct strbuf *out, const struct plan_flush *f)
{
	if (f)
		strbuf_printf(out, "%s, register 0x%04x", plan_flush_words[f->set], f->entry);
}

static void tell(struct pair *p, enum diff_kind kind, const struct plan_flush *old,
		 const struct plan_flush *new)
{
	const struct plan_flush *f = new ? new : old;
	struct strbuf subject = STRBUF_INIT, text = STRBUF_INIT, before = STRBUF_INIT, after = STRBUF_INIT;

	pair_safe(&subject, f->function);
	strbuf_puts(&subject, "() in ");
	pair_safe(&subject, f->unit);
	flush_value(&before, old);
	flush_value(&after, new);
	if (kind == DIFF_NOTE)
		strbuf_printf(&text, "what is said of the flush of %s is another", subject.s);
	else if (!new)
		strbuf_printf(&text, "%s no longer flushes (%s)", subject.s, before.s);
	else
		strbuf_printf(&text, "%s %s flushes: %s%s%s", subject.s, old ? "still" : "now", after.s,
			      old ? " instead of " : "", old ? before.s : "");
	pair_add(p, kind, &subject, "flush", old ? before.s : NULL, new ? after.s : NULL, &text)->flush =
		new ? (uint32_t)(new - p->plan[PAIR_NEW]->flushes) : PLAN_NONE;
	strbuf_release(&before);
	strbuf_release(&after);
}

/* What is said of both, to readers only. */
static bool is_said_otherwise(const struct plan_flush *a, const struct plan_flush *b)
{
	return a->births != b->births || a->cost_ns != b->cost_ns || pair_differs(a->change, b->change) ||
	       pair_differs(a->evidence, b->evidence) || pair_differs(a->reason, b->reason);
}

void pair_flushes(struct pair *p)
{
	const struct plan *old = p->plan[PAIR_OLD], *new = p->plan[PAIR_NEW];

	for (size_t i = 0; i < new->n_flushes; i++) {
		const struct plan_flush *f = &new->flushes[i], *was = same_function(old, f);

		if (!was)
			tell(p, DIFF_ADDED, NULL, f);
		else if (was->set != f->set || was->entry != f->entry)
			tell(p, DIFF_CHANGED, was, f);
		else if (is_said_otherwise(was, f))
			tell(p, DIFF_NOTE, was, f);
	}
	for (size_t i = 0; i < old->n_flushes; i++)
		if (!same_function(new, &old->flushes[i]))
			tell(p, DIFF_DROPPED, &old->flushes[i], NULL);
}
