/* SPDX-License-Identifier: MIT */
/* Is the best design worth being set?  And do its figures hold together? */
#include <errno.h>

#include "planner/pace.h"
#include "planner/planner.h"

int planner_self_check(struct planner *p, struct err *err)
{
	const struct cost *best = &p->best_ev.total;
	bool balanced = eval_balanced(&p->problem, &p->best, &p->scratch, &p->best_ev) &&
			eval_balanced(&p->problem, &p->base, &p->scratch, &p->base_ev);

	if (!balanced)
		return err_set(
			err, -EPROTO,
			"self-check failed: busy, idle and halted time do not add up to cores x run time");
	if (p->bound.time_ns > best->time_ns || p->bound.energy_pj > best->energy_pj)
		return err_set(err, -EPROTO, "self-check failed: the plan found is below the lower bound");
	return 0;
}

/* What a plan for time is worth against the system's own scheduler. */
static double pace_gain(const struct planner *p)
{
	double pace = (double)p->pace_ns, best = (double)p->best_ev.total.time_ns;

	return p->opts.goal.objective == PLAN_TIME && pace > 0 ? (pace - best) / pace : 0;
}

/* Is it worth it?  Otherwise the baseline is the plan. */
void planner_judge(struct planner *p)
{
	uint64_t base = cost_primary(&p->base_ev.total, &p->opts.goal);
	uint64_t best = cost_primary(&p->best_ev.total, &p->opts.goal);

	p->pace_ns = pace_ns(&p->problem);
	p->gain = base ? ((double)base - (double)best) / (double)base : 0;
	if (p->model->wall_ns && p->model->n_runs > 1)
		p->noise = (double)p->model->wall_sd_ns / (double)p->model->wall_ns;
	if (best >= base || p->gain < 0.0005)
		p->verdict = PLANNER_NO_GAIN;
	else if (p->gain < p->noise)
		p->verdict = PLANNER_NOISE;
	else if (p->opts.goal.objective == PLAN_TIME && pace_gain(p) < 0.01)
		p->verdict = PLANNER_PACE;
	else
		p->verdict = PLANNER_GAIN;
}

/*
 * The baseline can be the best placement there is, by the luck of the order
 * in which threads are made.  The system does not keep to it unless it is
 * told: then the system is what the plan has to be compared with.
 */
bool planner_needs_setting(const struct planner *p)
{
	return p->verdict == PLANNER_NO_GAIN && p->opts.baseline != BASELINE_OS && pace_gain(p) >= 0.01;
}
