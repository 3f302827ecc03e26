/* SPDX-License-Identifier: MIT */
#include "cmd/plan/print/figures.h"

double plan_saved(double base, double now)
{
	return base > 0 ? 100.0 * (base - now) / base : 0;
}

double plan_figure(const struct outcome *o, double time_ns, double energy_pj, double peak_mw)
{
	switch (o->goal.objective) {
	case PLAN_TIME:
		return time_ns;
	case PLAN_ENERGY:
		return energy_pj;
	case PLAN_EDP:
		return time_ns * energy_pj;
	default:
		return peak_mw;
	}
}

double plan_cost_figure(const struct outcome *o, const struct cost *c)
{
	return plan_figure(o, (double)c->time_ns, (double)c->energy_pj, (double)c->peak_mw);
}

const char *plan_figure_name(const struct outcome *o)
{
	static const char *const names[] = {[PLAN_TIME] = "time",
					    [PLAN_ENERGY] = "energy",
					    [PLAN_EDP] = "energy x delay",
					    [PLAN_POWER] = "of the largest draw"};

	return names[o->goal.objective];
}

double plan_now(const struct outcome *o, const struct plan *plan)
{
	const struct cost *c = o->verdict == PLANNER_GAIN ? &o->best_ev.total : &o->base_ev.total;

	return plan_figure(o, (double)plan->time_ns, (double)plan->energy_nj * 1000, (double)c->peak_mw);
}

double plan_base(const struct outcome *o, const struct plan *plan)
{
	return plan_figure(o, (double)plan->base_time_ns, (double)plan->base_energy_nj * 1000,
			   (double)o->base_ev.total.peak_mw);
}

double plan_bound(const struct outcome *o, const struct plan *plan)
{
	if (o->goal.objective == PLAN_EDP && o->bound_edp)
		return (double)o->bound_edp;
	return plan_figure(o, (double)plan->bound_time_ns, (double)plan->bound_energy_nj * 1000,
			   (double)o->bound.peak_mw);
}
