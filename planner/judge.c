/* SPDX-License-Identifier: MIT */
/* Is the best design worth being set?  And do its figures hold together? */
#include <errno.h>

#include "planner/cost/pace.h"
#include "planner/planner.h"

/* The bounds hold for what keeps to the deadlines and to the cap. */
static bool below_bound(const struct planner *p)
{
	const struct cost *best = &p->out.best_ev.total, *bound = &p->out.bound;
	unsigned __int128 edp = (unsigned __int128)best->time_ns * best->energy_pj;

	return best->time_ns < bound->time_ns || best->energy_pj < bound->energy_pj ||
	       best->peak_mw < bound->peak_mw || edp < p->out.bound_edp || p->out.impossible;
}

int planner_self_check(struct planner *p, struct err *err)
{
	const struct cost *best = &p->out.best_ev.total;
	bool balanced = eval_balanced(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev) &&
			eval_balanced(&p->problem, &p->out.base, &p->search.scratch, &p->out.base_ev);

	if (!balanced)
		return err_set(
			err, -EPROTO,
			"self-check failed: busy, idle and halted time do not add up to cores x run time");
	if (cost_keeps(best, &p->out.goal) && below_bound(p))
		return err_set(err, -EPROTO, "self-check failed: the plan found is below the lower bound");
	return 0;
}

/* What a plan for time is worth against the system's own scheduler. */
static double pace_gain(const struct planner *p)
{
	double pace = (double)p->out.pace_ns, best = (double)p->out.best_ev.total.time_ns;

	return p->out.goal.objective == PLAN_TIME && pace > 0 ? (pace - best) / pace : 0;
}

/*
 * How far recorded runs differ.  Where the system places threads it is chance
 * who meets whom at a shared line; what that explains is no noise to a plan
 * that keeps them from meeting.  One run's deviation counts, and not that of
 * the mean of all: a promise is about the next run.
 */
static void find_noise(struct planner *p)
{
	const struct model *m = p->task.model;
	double all, rest, left;

	p->out.noise = p->out.noise_all = 0;
	if (!m->wall_ns || m->n_runs < 2)
		return;
	all = rest = (double)m->wall_sd_ns / (double)m->wall_ns;
	if (m->waited_ns && m->wall_rest_sd_ns < m->wall_sd_ns)
		rest = (double)m->wall_rest_sd_ns / (double)m->wall_ns;
	left = contention_left(&p->problem, &p->out.best);
	p->out.noise_all = all;
	p->out.noise = rest + left * (all - rest);
}

/* Is it worth it?  Otherwise the baseline is the plan. */
void planner_judge(struct planner *p)
{
	const struct cost before = outcome_cost(&p->out, &p->out.base_ev),
			  after = outcome_cost(&p->out, &p->out.best_ev);
	unsigned __int128 base = cost_primary(&before, &p->out.goal);
	unsigned __int128 best = cost_primary(&after, &p->out.goal);
	const struct cost system = outcome_cost(&p->out, &p->out.system_ev);
	bool keeps = cost_keeps(&p->out.best_ev.total, &p->out.goal);

	p->out.pace_ns = pace_ns(&p->problem);
	p->out.gain = base ? ((double)base - (double)best) / (double)base : 0;
	find_noise(p);
	if (!cost_keeps(&p->out.base_ev.total, &p->out.goal))
		p->out.verdict = keeps ? PLANNER_GAIN : PLANNER_IMPOSSIBLE;
	else if (!keeps || best >= base || p->out.gain < 0.0005)
		p->out.verdict = PLANNER_NO_GAIN;
	else if (p->out.goal.objective != PLAN_POWER && p->out.gain < p->out.noise)
		p->out.verdict = PLANNER_NOISE;
	else if (p->out.goal.objective == PLAN_TIME && pace_gain(p) < 0.01)
		p->out.verdict = PLANNER_PACE;
	else if (cost_compare(&system, &after, &p->out.goal) <= 0)
		p->out.verdict = PLANNER_SYSTEM;
	else
		p->out.verdict = PLANNER_GAIN;
}

/*
 * The baseline can be the best placement there is, by the luck of the order
 * in which threads are made.  The system does not keep to it unless it is
 * told: then the system is what the plan has to be compared with.
 */
bool planner_needs_setting(const struct planner *p)
{
	return p->out.verdict == PLANNER_NO_GAIN && p->task.opts.baseline != BASELINE_OS &&
	       pace_gain(p) >= 0.01;
}
