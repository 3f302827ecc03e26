/* SPDX-License-Identifier: MIT */
#include "planner/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/result/emit.h"
#include "planner/search/worst.h"

/* Do both kinds leave the same choices?  One is a step below the other, so counting is enough. */
static bool same_choices(const struct problem *a, const struct problem *b)
{
	return a->n_slots == b->n_slots && a->n_epochs == b->n_epochs;
}

/* The design of one kind as one of a kind that may do more. */
static void lift(const struct problem *from, const struct design *d, const struct problem *to,
		 struct design *out)
{
	uint32_t n = to->machine->n_domains;

	for (uint32_t i = 0; i < to->n_slots; i++) {
		const struct prob_slot *s = &to->slots[i];

		out->unit[i] =
			design_unit(from, d, from->home[(size_t)s->first * to->model->n_threads + s->thread]);
	}
	for (uint32_t epoch = 0; epoch < to->n_epochs; epoch++)
		memcpy(out->step + (size_t)epoch * n, design_steps(from, d, to->epochs[epoch]), n);
}

/* Keep a design of @lower, for the minimiser to fall back to. */
static void keep_lower(struct planner *p, const struct planner *lower, const struct design *d,
		       enum plan_kind kind)
{
	struct design *out = &p->search.lower[kind];

	if (!out->unit)
		design_init(out, &p->problem);
	lift(&lower->problem, d, &p->problem, out);
	design_keep_fixed(out, &p->out.base, &p->problem);
}

/* Take over what @lower found if it is better, and keep it, and what it got from kinds below it. */
static void offer(struct planner *p, const struct planner *lower)
{
	struct evaluation ev;
	struct cost now, then;
	struct design d;

	design_init(&d, &p->problem);
	evaluation_init(&ev, &p->problem, true);
	for (uint32_t kind = 0; kind < PLAN_KINDS; kind++)
		if (lower->search.lower[kind].unit)
			keep_lower(p, lower, &lower->search.lower[kind], (enum plan_kind)kind);
	keep_lower(p, lower, &lower->out.best, lower->task.opts.kind);
	lift(&lower->problem, &lower->out.best, &p->problem, &d);
	/* Each kind has a baseline of its own: a thread that cannot be planned stays where this one has it. */
	design_keep_fixed(&d, &p->out.base, &p->problem);
	eval_all(&p->problem, &d, &p->search.scratch, &ev);
	now = outcome_cost(&p->out, &p->out.best_ev);
	then = outcome_cost(&p->out, &ev);
	if (cost_compare(&then, &now, &p->out.goal) < 0) {
		design_copy(&p->out.best, &d, &p->problem);
		eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
	}
	evaluation_release(&ev);
	design_release(&d);
}

static void kinds_keep(struct planner *p, enum plan_kind kind, struct planner *from, bool better)
{
	const struct cost c = outcome_cost(&from->out, better ? &from->out.best_ev : &from->out.base_ev);

	p->out.reach[kind] = (struct kind_reach){.known = true,
						 .time_ns = c.time_ns,
						 .energy_pj = c.energy_pj,
						 .triggers = better ? emit_count(&from->out) : 0};
}

/* Processes that search together must not be interrupted at different places. */
static struct planner_options aside(const struct planner *p, enum plan_kind kind)
{
	struct planner_options opts = p->task.opts;

	opts.kind = kind;
	opts.front = 0;
	opts.log = NULL;
	opts.progress = NULL;
	opts.stop = opts.ranks ? NULL : opts.stop;
	opts.ranks = NULL;
	opts.blocks = NULL;
	return opts;
}

/* Is there more to choose in @q than in @than?  NULL: than nothing. */
static bool opens(const struct planner *q, const struct planner *than)
{
	return !than || !same_choices(&q->problem, &than->problem);
}

static void search(struct planner *q, const struct planner *lower)
{
	q->search.aside = true;
	if (lower)
		offer(q, lower);
	worst_search(q);
	planner_minimise(q);
	q->out.verdict = PLANNER_GAIN;
}

static bool gains(const struct planner *q)
{
	const struct cost base = outcome_cost(&q->out, &q->out.base_ev),
			  best = outcome_cost(&q->out, &q->out.best_ev);

	return cost_compare(&best, &base, &q->out.goal) < 0;
}

/*
 * Search for plans of @kind beside @p, starting from @lower (NULL: nothing).
 * False if nothing was to be searched; @q is empty then.
 */
static bool try_kind(struct planner *p, enum plan_kind kind, const struct planner *lower, struct planner *q)
{
	const struct planner_options opts = aside(p, kind);

	*q = (struct planner){0};
	if (planner_prepare(q, p->task.model, p->task.platform, &opts, NULL))
		return false;
	if (!opens(q, lower)) {
		p->out.reach[kind] = p->out.reach[kind + 1];
	} else if (kind > p->task.opts.kind && !opens(q, p)) {
		p->search.same_below = kind;
	} else {
		search(q, lower);
		kinds_keep(p, kind, q, gains(q));
		return true;
	}
	planner_release(q);
	return false;
}

void kinds_below(struct planner *p)
{
	struct planner *tried = mem_new(PLAN_KINDS, sizeof(*tried)), *lower = NULL;

	for (int kind = PLAN_KIND_START;
	     kind > (int)p->task.opts.kind && p->search.same_below == PLAN_KIND_CALL; kind--)
		if (try_kind(p, (enum plan_kind)kind, lower, &tried[kind]))
			lower = &tried[kind];
	if (lower)
		offer(p, lower);
	for (int kind = 0; kind < PLAN_KINDS; kind++)
		planner_release(&tried[kind]);
	free(tried);
}

void kinds_above(struct planner *p)
{
	struct planner q;

	kinds_keep(p, p->task.opts.kind, p, gains(p)); /* refused or not: all kinds are measured alike */
	for (uint32_t kind = p->task.opts.kind + 1; kind < PLAN_KINDS; kind++)
		if (kind <= p->search.same_below && !p->out.reach[kind].known)
			p->out.reach[kind] = p->out.reach[p->task.opts.kind];
	for (int kind = (int)p->task.opts.kind - 1; kind >= 0; kind--)
		if (try_kind(p, (enum plan_kind)kind, p, &q))
			planner_release(&q);
}
