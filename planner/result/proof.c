/* SPDX-License-Identifier: MIT */
#include "planner/result/proof.h"

#include "lib/mem.h"
#include "planner/cost/relax.h"

struct places {
	struct plan_place *at;
	size_t n;
};

/* Where @d has a thread in each phase in which it works; an entry for each change. */
static void add_places(const struct outcome *o, const struct design *d, uint32_t thread, struct places *out)
{
	const struct problem *pb = o->problem;
	uint32_t before = PLAN_NONE;

	for (uint32_t i = 0; i < pb->n_phases; i++) {
		uint32_t slot = pb->home[(size_t)i * pb->model->n_threads + thread], core;

		if (slot == PROB_NONE)
			continue;
		core = machine_core_id(o->machine, design_unit_in(pb, d, i, slot), 0);
		if (core == before)
			continue;
		out->at = mem_resize(out->at, out->n + 1, sizeof(*out->at));
		out->at[out->n++] = (struct plan_place){thread, i, core};
		before = core;
	}
}

static void emit_places(const struct outcome *o, struct plan *plan)
{
	const struct design *d = o->verdict == PLANNER_GAIN ? &o->best : &o->base;
	struct places base = {0}, rest = {0};

	for (uint32_t i = 0; i < o->task->model->n_threads; i++) {
		add_places(o, &o->base, i, &base);
		if (plan->threads[i].core == PLAN_NONE)
			add_places(o, d, i, &rest);
	}
	plan->base_places = base.at;
	plan->n_base_places = base.n;
	plan->free_places = rest.at;
	plan->n_free_places = rest.n;
}

static void emit_relaxed(const struct outcome *o, struct plan *plan)
{
	uint64_t time_ns = 0, energy_pj = 0;

	for (uint32_t i = 0; i < o->problem->n_phases; i++) {
		struct cost c;

		relax_phase(o->problem, &o->problem->phases[i], &c);
		time_ns += c.time_ns * o->problem->phases[i].repeats;
		energy_pj += c.energy_pj * o->problem->phases[i].repeats;
	}
	plan->relaxed_time_ns = time_ns;
	plan->relaxed_energy_nj = energy_pj / 1000;
}

void proof_emit(const struct outcome *o, struct plan *plan)
{
	const struct evaluation *ev = o->verdict == PLANNER_GAIN ? &o->best_ev : &o->base_ev;

	for (uint32_t i = 0; i < o->problem->n_phases; i++) {
		const struct prob_phase *ph = &o->problem->phases[i];

		plan->phases[i].first = ph->model_first;
		plan->phases[i].last = ph->model_last - 1;
		plan->phases[i].peak_mw = ev->phase[i].draw_mw;
		plan->phases[i].deadline_ns = ph->limit_ns;
	}
	plan->deadline_ns = o->goal.deadline_ns;
	plan->cap_mw = o->goal.cap_mw;
	plan->peak_mw = ev->total.peak_mw;
	emit_places(o, plan);
	emit_relaxed(o, plan);
}
