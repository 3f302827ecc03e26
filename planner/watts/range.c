/* SPDX-License-Identifier: MIT */
#include "planner/watts/range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "planner/result/regret.h"
#include "planner/result/sensitivity.h"

struct range_search {
	const struct outcome *o;
	struct whatif w;
	struct evaluation base, plan;
};

/* Share of the baseline that is saved with watts off by @busy and @idle times their errors. */
static double saved_at(struct range_search *x, double busy, double idle, uint32_t step)
{
	const struct goal *goal = &x->o->goal;
	struct cost base, plan;
	double b;

	whatif_set_errors(&x->w, busy, idle, step);
	whatif_eval(&x->w, &x->o->base, &x->base);
	whatif_eval(&x->w, &x->o->best, &x->plan);
	base = regret_cost(x->o, &x->base);
	plan = regret_cost(x->o, &x->plan);
	b = (double)cost_primary(&base, goal);
	return b > 0 ? (b - (double)cost_primary(&plan, goal)) / b : 0;
}

static bool has_errors(const struct platform *p)
{
	for (uint32_t s = 0; s < p->n_steps; s++)
		if (p->steps[s].busy_error_mw || p->steps[s].idle_error_mw)
			return true;
	return false;
}

static void widen(struct watts_range *r, double saved)
{
	r->low = fmin(r->low, saved);
	r->high = fmax(r->high, saved);
}

/* All figures off alike. */
static void find_corners(struct range_search *x, struct watts_range *r)
{
	r->low = r->high = saved_at(x, 0, 0, UINT32_MAX);
	for (int busy = -1; busy <= 1; busy++)
		for (int idle = -1; idle <= 1; idle++)
			widen(r, saved_at(x, busy, idle, UINT32_MAX));
}

/* Of all steps and both kinds the figure whose own error moves the saving most. */
static void find_worst(struct range_search *x, struct watts_range *r)
{
	const struct platform *p = x->o->machine->platform;

	for (uint32_t s = 0; s < p->n_steps; s++)
		for (int idle = 0; idle < 2; idle++) {
			double a = saved_at(x, !idle, idle, s), b = saved_at(x, -!idle, -idle, s);

			widen(r, a);
			widen(r, b);
			if (fabs(a - b) <= r->figure_swing)
				continue;
			r->figure_swing = fabs(a - b);
			r->figure = (struct figure){
				.kind = idle ? FIGURE_IDLE : FIGURE_BUSY,
				.step = s,
				.value = (double)(idle ? p->steps[s].idle_mw : p->steps[s].busy_mw)};
			r->figure_error =
				(double)(idle ? p->steps[s].idle_error_mw : p->steps[s].busy_error_mw);
		}
}

static bool is_watts(enum figure_kind kind)
{
	return kind <= FIGURE_IDLE_ALL;
}

/* The nearest watts at which the plan stops saving. */
static void find_turn(const struct outcome *o, struct watts_range *r)
{
	uint32_t n;
	struct breakeven *b = planner_breakevens(o, &n);

	for (uint32_t i = 0; i < n && !r->turns; i++)
		if (is_watts(b[i].figure.kind) && b[i].turns) {
			r->turns = true;
			r->turn = b[i].figure;
			r->turn_at = b[i].at;
		}
	free(b);
}

void planner_watts_range(const struct outcome *o, struct watts_range *r)
{
	struct range_search x = {.o = o};

	memset(r, 0, sizeof(*r));
	if (!goal_needs_watts(&o->goal) || !o->machine->platform->energy_known ||
	    !has_errors(o->machine->platform))
		return;
	r->known = true;
	whatif_init(&x.w, o->problem);
	evaluation_init(&x.base, o->problem, false);
	evaluation_init(&x.plan, o->problem, true);
	find_corners(&x, r);
	find_worst(&x, r);
	evaluation_release(&x.base);
	evaluation_release(&x.plan);
	whatif_release(&x.w);
	find_turn(o, r);
}

char *planner_watts_sentence(const struct outcome *o, const struct watts_range *r)
{
	struct strbuf sb = STRBUF_INIT;

	if (r->high <= 0)
		strbuf_printf(&sb, "loses %.1f to %.1f %%", -100 * r->high, -100 * r->low);
	else if (r->low <= 0)
		strbuf_printf(&sb, "between a loss of %.1f %% and a saving of %.1f %%", -100 * r->low,
			      100 * r->high);
	else
		strbuf_printf(&sb, "saves %.1f to %.1f %%", 100 * r->low, 100 * r->high);
	strbuf_puts(&sb, " within what the platform's watts may be off by");
	if (r->turns) {
		char *name = figure_name(o->problem, &r->turn), *at = breakeven_value(&r->turn, r->turn_at);

		strbuf_printf(&sb, "; loses if %s is %s %s", name,
			      r->turn_at > r->turn.value ? "above" : "below", at);
		free(name);
		free(at);
	}
	return strbuf_detach(&sb);
}

char *planner_watts_next(const struct outcome *o, const struct watts_range *r)
{
	struct strbuf sb = STRBUF_INIT;
	char *name;

	if (!r->known || r->figure_swing <= 0)
		return NULL;
	name = figure_name(o->problem, &r->figure);
	strbuf_printf(&sb, "%s (%.2f +- %.2f W) better next: its error moves the saving by %.1f points", name,
		      r->figure.value / 1000, r->figure_error / 1000, 100 * r->figure_swing);
	free(name);
	return strbuf_detach(&sb);
}
