/* SPDX-License-Identifier: MIT */
#include "planner/result/outcome.h"

bool outcome_is_worst(const struct outcome *o)
{
	return o->problem->inputs && o->task->opts.over == PLAN_OVER_WORST;
}

struct cost outcome_cost(const struct outcome *o, const struct evaluation *ev)
{
	struct cost worst = ev->total;

	for (uint32_t s = 0; outcome_is_worst(o) && s < o->problem->inputs->n; s++) {
		struct cost c = eval_input(o->problem, ev, s);

		if (!s || cost_compare(&c, &worst, &o->goal) > 0)
			worst = c;
	}
	if (outcome_is_worst(o)) {
		worst.late_ns = ev->total.late_ns;
		worst.over_mw = ev->total.over_mw;
		worst.peak_mw = ev->total.peak_mw;
	}
	return worst;
}

static double factor(uint64_t a, uint64_t b)
{
	double x = (double)a, y = (double)b;

	return !a || !b ? 1 : x > y ? x / y : y / x;
}

/* In time and, if watts count, in energy. */
static double between(const struct outcome *o, const struct cost *a, const struct cost *b)
{
	double time = factor(a->time_ns, b->time_ns), energy = factor(a->energy_pj, b->energy_pj);

	return goal_needs_watts(&o->goal) && energy > time ? energy : time;
}

double outcome_apart(const struct outcome *o, bool *base)
{
	double before = between(o, &o->base_ev.total, &o->base_sim.cost);
	double after = between(o, &o->best_ev.total, &o->sim.cost);

	*base = before >= after;
	return *base ? before : after;
}
