/* SPDX-License-Identifier: MIT */
/* The plans of a front. */
#include <stdlib.h>
#include <string.h>

#include "planner/planner.h"
#include "planner/result/emit.h"
#include "planner/search/points.h"

/* What the point is a plan for: what was asked for, or whatever it needs less of than the baseline. */
static enum plan_objective objective_of(const struct planner *p, enum plan_objective asked)
{
	const struct cost *base = &p->out.base_ev.total, *now = &p->out.best_ev.total;
	const struct goal goal = {.objective = asked};

	if (cost_primary(now, &goal) < cost_primary(base, &goal))
		return asked;
	return now->energy_pj < base->energy_pj ? PLAN_ENERGY : PLAN_TIME;
}

/* Make plan @i the best design: changes worth little are taken out, cores named in order. */
static void pareto_take(struct planner *p, uint32_t i)
{
	const struct goal asked = p->out.goal;

	design_copy(&p->out.best, &p->out.plans[i].design, &p->problem);
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
	p->out.goal = (struct goal){PLAN_ENERGY, p->out.best_ev.total.time_ns, p->out.goal.cap_mw};
	p->out.verdict = PLANNER_GAIN;
	p->out.place_main = false;
	planner_minimise(p);
	planner_make_canonical(p);
	/* Its own time as deadline would pin main for a nanosecond: whether it is pinned is judged as for the plan. */
	p->out.goal = (struct goal){objective_of(p, asked.objective), 0, asked.cap_mw};
	planner_judge_main(p);
	p->out.plans[i].cost = p->out.best_ev.total;
}

/* Nothing is set where that is the only point, or where the last bit that was to be gained has been taken out. */
static int write_point(struct planner *p, uint32_t i, struct plan *plan, struct err *err)
{
	bool base;
	int ret;

	pareto_take(p, i);
	if (p->out.plans[i].nothing || points_beaten(&p->out, &p->out.best_ev.total)) {
		p->out.verdict = PLANNER_NO_GAIN;
		p->out.plans[i].cost = p->out.base_ev.total;
	}
	ret = planner_simulate_best(p, err);
	/* No plan rests on figures that the simulator contradicts. */
	if (!ret && p->out.verdict == PLANNER_GAIN && outcome_apart(&p->out, &base) > PLANNER_APART_FACTOR) {
		p->out.verdict = PLANNER_APART;
		p->out.plans[i].cost = p->out.base_ev.total;
	}
	return ret ? ret : planner_emit(&p->out, plan, err);
}

int planner_front_plan(struct planner *p, uint32_t i, struct plan *plan, struct err *err)
{
	const struct planner kept = *p;
	struct design best;
	int ret;

	design_init(&best, &p->problem);
	design_copy(&best, &p->out.best, &p->problem);
	/* What kinds reach was found for the goal asked for. */
	memset(p->out.reach, 0, sizeof(p->out.reach));
	*plan = (struct plan){0};
	ret = write_point(p, i, plan, err);
	p->out.goal = kept.out.goal;
	p->out.verdict = kept.out.verdict;
	p->out.dropped = kept.out.dropped;
	p->out.place_main = kept.out.place_main;
	p->out.sim = kept.out.sim;
	memcpy(p->out.reach, kept.out.reach, sizeof(p->out.reach));
	design_copy(&p->out.best, &best, &p->problem);
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
	design_release(&best);
	return ret;
}
