/* SPDX-License-Identifier: MIT */
/* A plan for several inputs: its figures are so far those of all of them, one after the other. */
#include <stdlib.h>

#include "lib/mem.h"
#include "planner/result/emit.h"

static void mean(uint64_t *sum, uint32_t n)
{
	*sum /= n;
}

/* The figures of a plan from sums to means over the inputs. */
static void emit_means(const struct problem *pb, struct plan *plan)
{
	uint32_t n = pb->inputs->n;
	uint64_t *const sums[] = {&plan->base_time_ns, &plan->base_energy_nj,    &plan->time_ns,
				  &plan->energy_nj,    &plan->simulated_time_ns, &plan->simulated_energy_nj};

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		mean(sums[i], n);
	plan->bound_time_ns /= n;
	plan->bound_energy_nj /= n;
	plan->relaxed_time_ns /= n;
	plan->relaxed_energy_nj /= n;
	for (size_t i = 0; i < plan->n_kinds; i++) {
		mean(&plan->kinds[i].time_ns, n);
		mean(&plan->kinds[i].energy_nj, n);
	}
}

/* One phase for all inputs: means, and the most that is drawn. */
static void fold_phases(struct plan *plan, uint32_t n)
{
	for (size_t p = 0; p < plan->n_phases / n; p++) {
		struct plan_phase *to = &plan->phases[p], *from = &plan->phases[p * n];
		struct plan_phase sum = *from;

		for (uint32_t s = 1; s < n; s++) {
			sum.time_ns += from[s].time_ns;
			sum.energy_nj += from[s].energy_nj;
			sum.peak_mw = from[s].peak_mw > sum.peak_mw ? from[s].peak_mw : sum.peak_mw;
			sum.repeats = from[s].repeats > sum.repeats ? from[s].repeats : sum.repeats;
			free(from[s].name);
		}
		mean(&sum.time_ns, n);
		mean(&sum.energy_nj, n);
		*to = sum;
	}
	plan->n_phases /= n;
	for (size_t i = 0; i < plan->n_base_places; i++)
		plan->base_places[i].phase /= n;
	for (size_t i = 0; i < plan->n_free_places; i++)
		plan->free_places[i].phase /= n;
}

/* The phases of a plan from one for each input to one for all; names the inputs in it. */
static void emit_phases(const struct problem *pb, struct plan *plan)
{
	uint32_t n = pb->inputs->n;

	fold_phases(plan, n);
	plan->inputs = mem_new(n, sizeof(*plan->inputs));
	plan->n_inputs = n;
	for (uint32_t s = 0; s < n; s++)
		plan->inputs[s].model_sha256 = mem_strdup(pb->inputs->sha256[s]);
}

static void emit_worst(const struct outcome *o, struct plan *plan)
{
	const struct cost base = outcome_cost(o, &o->base_ev);
	const struct cost now = o->verdict == PLANNER_GAIN ? outcome_cost(o, &o->best_ev) : base;

	plan->base_time_ns = base.time_ns;
	plan->base_energy_nj = base.energy_pj / 1000;
	plan->time_ns = now.time_ns;
	plan->energy_nj = now.energy_pj / 1000;
	plan->bound_time_ns = o->worst_bound.time_ns;
	plan->bound_energy_nj = o->worst_bound.energy_pj / 1000;
	plan->relaxed_time_ns /= o->problem->inputs->n;
	plan->relaxed_energy_nj /= o->problem->inputs->n;
	/* Simulated are the sums, and they say nothing about the worst. */
	plan->simulated_time_ns = plan->simulated_energy_nj = 0;
}

void emit_inputs(const struct outcome *o, struct plan *plan)
{
	if (!o->problem->inputs)
		return;
	if (outcome_is_worst(o))
		emit_worst(o, plan);
	else
		emit_means(o->problem, plan);
	emit_phases(o->problem, plan);
	plan->over = o->task->opts.over;
}
