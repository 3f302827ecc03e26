/* SPDX-License-Identifier: MIT */
#include "planner/search/points.h"

#include "lib/mem.h"

static bool no_worse(const struct cost *a, const struct cost *b)
{
	return a->time_ns <= b->time_ns && a->energy_pj <= b->energy_pj;
}

static bool keeps_cap(const struct outcome *o, const struct cost *cost)
{
	return cost_keeps(cost, &(struct goal){.cap_mw = o->goal.cap_mw});
}

bool points_beaten(const struct outcome *o, const struct cost *cost)
{
	const struct cost *base = &o->base_ev.total, *system = &o->system_ev.total;

	return (keeps_cap(o, base) && !base->late_ns && no_worse(base, cost)) ||
	       (keeps_cap(o, system) && !system->late_ns && no_worse(system, cost));
}

static void mark_knee(struct outcome *o)
{
	struct front f;
	uint32_t knee;

	front_init(&f, false);
	for (uint32_t i = 0; i < o->n_plans; i++)
		front_add(&f, &(struct front_point){.cost = o->plans[i].cost});
	knee = front_knee(&f);
	for (uint32_t i = 0; i < o->n_plans; i++)
		o->plans[i].knee = i == knee;
	front_release(&f);
}

void points_add(struct outcome *o, const struct design *d, const struct cost *cost)
{
	struct front_plan new = {.cost = *cost};
	uint32_t kept = 0, at;

	if (cost->late_ns || !keeps_cap(o, cost) || points_beaten(o, cost))
		return;
	for (uint32_t i = 0; i < o->n_plans; i++)
		if (no_worse(&o->plans[i].cost, cost))
			return;
	for (uint32_t i = 0; i < o->n_plans; i++) {
		if (no_worse(cost, &o->plans[i].cost))
			design_release(&o->plans[i].design);
		else
			o->plans[kept++] = o->plans[i];
	}
	design_init(&new.design, o->problem);
	design_copy(&new.design, d, o->problem);
	o->plans = mem_resize(o->plans, kept + 1, sizeof(*o->plans));
	for (at = kept; at > 0 && o->plans[at - 1].cost.time_ns > cost->time_ns; at--)
		o->plans[at] = o->plans[at - 1];
	o->plans[at] = new;
	o->n_plans = kept + 1;
	mark_knee(o);
}

void points_close(struct outcome *o)
{
	if (o->n_plans || !keeps_cap(o, &o->base_ev.total))
		return;
	o->plans = mem_resize(o->plans, 1, sizeof(*o->plans));
	o->plans[0] = (struct front_plan){.cost = o->base_ev.total, .nothing = true};
	design_init(&o->plans[0].design, o->problem);
	design_copy(&o->plans[0].design, &o->base, o->problem);
	o->n_plans = 1;
}
