/* SPDX-License-Identifier: MIT */
/* The plans of a front. */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/planner.h"

static bool no_worse(const struct cost *a, const struct cost *b)
{
	return a->time_ns <= b->time_ns && a->energy_pj <= b->energy_pj;
}

static void mark_knee(struct planner *p)
{
	struct front f;
	uint32_t knee;

	front_init(&f, false);
	for (uint32_t i = 0; i < p->n_plans; i++)
		front_add(&f, &(struct front_point){.cost = p->plans[i].cost});
	knee = front_knee(&f);
	for (uint32_t i = 0; i < p->n_plans; i++)
		p->plans[i].knee = i == knee;
	front_release(&f);
}

void planner_front_add(struct planner *p, const struct design *d, const struct cost *cost)
{
	struct front_plan new = {.cost = *cost};
	uint32_t kept = 0, at;

	if (cost->late_ns || !cost_keeps(cost, &(struct goal){.cap_mw = p->opts.goal.cap_mw}))
		return;
	for (uint32_t i = 0; i < p->n_plans; i++)
		if (no_worse(&p->plans[i].cost, cost))
			return;
	for (uint32_t i = 0; i < p->n_plans; i++) {
		if (no_worse(cost, &p->plans[i].cost))
			design_release(&p->plans[i].design);
		else
			p->plans[kept++] = p->plans[i];
	}
	design_init(&new.design, &p->problem);
	design_copy(&new.design, d, &p->problem);
	p->plans = mem_resize(p->plans, kept + 1, sizeof(*p->plans));
	for (at = kept; at > 0 && p->plans[at - 1].cost.time_ns > cost->time_ns; at--)
		p->plans[at] = p->plans[at - 1];
	p->plans[at] = new;
	p->n_plans = kept + 1;
	mark_knee(p);
}

/* Make plan @i the best design: changes worth little are taken out, cores named in order. */
static void take(struct planner *p, uint32_t i)
{
	const struct goal asked = p->opts.goal;

	design_copy(&p->best, &p->plans[i].design, &p->problem);
	eval_all(&p->problem, &p->best, &p->scratch, &p->best_ev);
	p->opts.goal = (struct goal){PLAN_ENERGY, p->best_ev.total.time_ns, p->opts.goal.cap_mw};
	p->verdict = PLANNER_GAIN;
	p->place_main = false;
	planner_minimise(p);
	planner_tidy(p);
	/* Its own time as deadline would pin main for a nanosecond: whether it is pinned is judged as for the plan. */
	p->opts.goal = (struct goal){asked.objective, 0, asked.cap_mw};
	planner_judge_main(p);
	p->plans[i].cost = p->best_ev.total;
}

int planner_front_plan(struct planner *p, uint32_t i, struct plan *plan, struct err *err)
{
	const struct goal goal = p->opts.goal;
	const enum planner_verdict verdict = p->verdict;
	const uint32_t dropped = p->dropped;
	const bool place_main = p->place_main;
	struct design best;
	int ret;

	design_init(&best, &p->problem);
	design_copy(&best, &p->best, &p->problem);
	take(p, i);
	ret = planner_emit(p, plan, err);
	p->opts.goal = goal;
	p->verdict = verdict;
	p->dropped = dropped;
	p->place_main = place_main;
	design_copy(&p->best, &best, &p->problem);
	eval_all(&p->problem, &p->best, &p->scratch, &p->best_ev);
	design_release(&best);
	return ret;
}
