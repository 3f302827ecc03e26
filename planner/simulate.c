/* SPDX-License-Identifier: MIT */
/* The block simulator as the judge of the best design and of the finalists. */
#include "planner/planner.h"

/* Simulate one design; limits of phases are the fluid model's matter. */
static int simulate(const struct planner *p, const struct design *d, const struct evaluation *ev,
		    struct sim_result *out, struct err *err)
{
	const struct sim_options opts = {.blocks = p->task.opts.blocks, .priced = ev->priced};
	int ret = sim_run(&p->problem, d, &opts, out, err);

	out->cost.late_ns = ev->total.late_ns;
	out->cost.over_mw = ev->total.over_mw;
	return ret;
}

static bool simulate_holds(const struct planner *p)
{
	return cost_compare(&p->out.sim.cost, &p->out.base_sim.cost, &p->out.goal) <= 0;
}

static void simulate_take(struct planner *p, const struct design *d)
{
	design_copy(&p->out.best, d, &p->problem);
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
}

/* The next best finalist that the simulator does not find worse than the baseline. */
static int try_finalists(struct planner *p, struct err *err)
{
	const struct sim_result first = p->out.sim;
	const enum planner_verdict verdict = PLANNER_SIMULATED;
	struct design winner;
	int ret = 0;

	design_init(&winner, &p->problem);
	design_copy(&winner, &p->out.best, &p->problem);
	for (uint32_t i = 0; i < p->search.finalists.n && !ret; i++) {
		simulate_take(p, &p->search.finalists.at[i].design);
		planner_minimise(p);
		planner_make_canonical(p);
		planner_judge(p);
		if (p->out.verdict != PLANNER_GAIN || design_same(&p->out.best, &winner, &p->problem))
			continue;
		ret = simulate(p, &p->out.best, &p->out.best_ev, &p->out.sim, err);
		if (ret || simulate_holds(p))
			goto out;
	}
	simulate_take(p, &winner);
	planner_judge(p);
	p->out.sim = first;
	p->out.verdict = verdict;
out:
	design_release(&winner);
	return ret;
}

int planner_simulate_best(struct planner *p, struct err *err)
{
	return simulate(p, &p->out.best, &p->out.best_ev, &p->out.sim, err);
}

/* A verdict that rests on the fluid model alone. */
static bool is_fluid(const struct planner *p)
{
	return p->out.verdict != PLANNER_IMPOSSIBLE && p->out.verdict != PLANNER_SIMULATED;
}

int planner_simulate(struct planner *p, struct err *err)
{
	bool base;
	int ret = simulate(p, &p->out.base, &p->out.base_ev, &p->out.base_sim, err);

	if (!ret)
		ret = simulate(p, &p->out.best, &p->out.best_ev, &p->out.sim, err);
	if (!ret && p->out.verdict == PLANNER_GAIN && !simulate_holds(p))
		ret = try_finalists(p, err);
	if (!ret && is_fluid(p) && outcome_apart(&p->out, &base) > PLANNER_APART_FACTOR)
		p->out.verdict = PLANNER_APART;
	return ret;
}
