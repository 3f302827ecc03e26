/* SPDX-License-Identifier: MIT */
#include "cmd/plan/print/figures.h"

double plan_saved(double base, double now)
{
	return base > 0 ? 100.0 * (base - now) / base : 0;
}

double plan_figure(const struct planner *p, double time_ns, double energy_pj, double peak_mw)
{
	switch (p->out.goal.objective) {
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

double plan_cost_figure(const struct planner *p, const struct cost *c)
{
	return plan_figure(p, (double)c->time_ns, (double)c->energy_pj, (double)c->peak_mw);
}

const char *plan_figure_name(const struct planner *p)
{
	static const char *const names[] = {[PLAN_TIME] = "time",
					    [PLAN_ENERGY] = "energy",
					    [PLAN_EDP] = "energy x delay",
					    [PLAN_POWER] = "of the largest draw"};

	return names[p->out.goal.objective];
}

double plan_now(const struct planner *p, const struct plan *plan)
{
	const struct cost *c = p->out.verdict == PLANNER_GAIN ? &p->out.best_ev.total : &p->out.base_ev.total;

	return plan_figure(p, (double)plan->time_ns, (double)plan->energy_nj * 1000, (double)c->peak_mw);
}

double plan_base(const struct planner *p, const struct plan *plan)
{
	return plan_figure(p, (double)plan->base_time_ns, (double)plan->base_energy_nj * 1000,
			   (double)p->out.base_ev.total.peak_mw);
}

double plan_bound(const struct planner *p, const struct plan *plan)
{
	if (p->out.goal.objective == PLAN_EDP && p->out.bound_edp)
		return (double)p->out.bound_edp;
	return plan_figure(p, (double)plan->bound_time_ns, (double)plan->bound_energy_nj * 1000,
			   (double)p->out.bound.peak_mw);
}
