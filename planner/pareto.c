/* SPDX-License-Identifier: MIT */
/* The plans of a front. */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/planner.h"
#include "planner/result/emit.h"

static bool no_worse(const struct cost *a, const struct cost *b)
{
	return a->time_ns <= b->time_ns && a->energy_pj <= b->energy_pj;
}

static bool keeps_cap(const struct planner *p, const struct cost *cost)
{
	return cost_keeps(cost, &(struct goal){.cap_mw = p->out.goal.cap_mw});
}

/* Do the baseline, or the system if nothing is set, need no more of either? */
static bool is_beaten(const struct planner *p, const struct cost *cost)
{
	const struct cost *base = &p->out.base_ev.total, *system = &p->out.system_ev.total;

	return (keeps_cap(p, base) && !base->late_ns && no_worse(base, cost)) ||
	       (keeps_cap(p, system) && !system->late_ns && no_worse(system, cost));
}

static void mark_knee(struct planner *p)
{
	struct front f;
	uint32_t knee;

	front_init(&f, false);
	for (uint32_t i = 0; i < p->out.n_plans; i++)
		front_add(&f, &(struct front_point){.cost = p->out.plans[i].cost});
	knee = front_knee(&f);
	for (uint32_t i = 0; i < p->out.n_plans; i++)
		p->out.plans[i].knee = i == knee;
	front_release(&f);
}

void planner_front_add(struct planner *p, const struct design *d, const struct cost *cost)
{
	struct front_plan new = {.cost = *cost};
	uint32_t kept = 0, at;

	if (cost->late_ns || !keeps_cap(p, cost) || is_beaten(p, cost))
		return;
	for (uint32_t i = 0; i < p->out.n_plans; i++)
		if (no_worse(&p->out.plans[i].cost, cost))
			return;
	for (uint32_t i = 0; i < p->out.n_plans; i++) {
		if (no_worse(cost, &p->out.plans[i].cost))
			design_release(&p->out.plans[i].design);
		else
			p->out.plans[kept++] = p->out.plans[i];
	}
	design_init(&new.design, &p->problem);
	design_copy(&new.design, d, &p->problem);
	p->out.plans = mem_resize(p->out.plans, kept + 1, sizeof(*p->out.plans));
	for (at = kept; at > 0 && p->out.plans[at - 1].cost.time_ns > cost->time_ns; at--)
		p->out.plans[at] = p->out.plans[at - 1];
	p->out.plans[at] = new;
	p->out.n_plans = kept + 1;
	mark_knee(p);
}

void planner_front_close(struct planner *p)
{
	if (p->out.n_plans || !keeps_cap(p, &p->out.base_ev.total))
		return;
	p->out.plans = mem_resize(p->out.plans, 1, sizeof(*p->out.plans));
	p->out.plans[0] = (struct front_plan){.cost = p->out.base_ev.total, .nothing = true};
	design_init(&p->out.plans[0].design, &p->problem);
	design_copy(&p->out.plans[0].design, &p->out.base, &p->problem);
	p->out.n_plans = 1;
}

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
static void take(struct planner *p, uint32_t i)
{
	const struct goal asked = p->out.goal;

	design_copy(&p->out.best, &p->out.plans[i].design, &p->problem);
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
	p->out.goal = (struct goal){PLAN_ENERGY, p->out.best_ev.total.time_ns, p->out.goal.cap_mw};
	p->out.verdict = PLANNER_GAIN;
	p->out.place_main = false;
	planner_minimise(p);
	planner_tidy(p);
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

	take(p, i);
	if (p->out.plans[i].nothing || is_beaten(p, &p->out.best_ev.total)) {
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
