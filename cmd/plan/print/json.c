/* SPDX-License-Identifier: MIT */
#include "cmd/plan/print/front.h"
#include "cmd/plan/print/print.h"

#include <stdio.h>

#include "cmd/plan/print/figures.h"
#include "cmd/plan/print/sense.h"
#include "cmd/plan/print/weighed.h"
#include "lib/json.h"
#include "lib/strbuf.h"
#include "planner/result/regret.h"
#include "planner/result/sensitivity.h"

#define PLAN_SCHEMA 1

static void json_cost(struct json *j, const char *key, uint64_t time_ns, uint64_t energy_nj)
{
	json_object(j, key);
	json_u64(j, "time_ns", time_ns);
	json_u64(j, "energy_nj", energy_nj);
	json_end(j);
}

static void json_threads(struct json *j, const struct plan *plan)
{
	json_array(j, "threads");
	for (size_t i = 0; i < plan->n_threads; i++) {
		const struct plan_thread *t = &plan->threads[i];

		json_object(j, NULL);
		json_u64(j, "thread", i);
		json_string(j, "name", t->name);
		if (t->core != PLAN_NONE)
			json_u64(j, "core", t->core);
		json_string(j, "evidence", t->evidence);
		json_string(j, "reason", t->reason);
		json_end(j);
	}
	json_end(j);
}

static void json_range(struct json *j, const char *key, const struct cost *c)
{
	json_cost(j, key, c->time_ns, c->energy_pj / 1000);
}

static void json_regret(struct json *j, const struct outcome *o)
{
	struct regret r[BASELINE_N];

	planner_regret(o, r);
	json_array(j, "regret");
	for (int k = 0; k < BASELINE_N; k++) {
		json_object(j, NULL);
		json_string(j, "baseline", baseline_name(r[k].baseline));
		json_u64(j, "time_ns", r[k].time_ns);
		json_u64(j, "energy_nj", r[k].energy_pj / 1000);
		if (k == BASELINE_RANDOM) {
			json_u64(j, "seeds", REGRET_SEEDS);
			json_range(j, "best", &r[k].best);
			json_range(j, "worst", &r[k].worst);
		}
		json_end(j);
	}
	json_end(j);
}

static void json_kinds(struct json *j, const struct plan *plan)
{
	json_string(j, "kind", plan_kind_words[plan->kind]);
	json_array(j, "kinds");
	for (size_t i = 0; i < plan->n_kinds; i++) {
		json_object(j, NULL);
		json_string(j, "kind", plan_kind_words[plan->kinds[i].kind]);
		json_u64(j, "time_ns", plan->kinds[i].time_ns);
		json_u64(j, "energy_nj", plan->kinds[i].energy_nj);
		json_u64(j, "triggers", plan->kinds[i].triggers);
		json_end(j);
	}
	json_end(j);
}

static void json_goal(struct json *j, const struct outcome *o, const struct plan *plan)
{
	static const char *const objectives[] = {
		[PLAN_TIME] = "time", [PLAN_ENERGY] = "energy", [PLAN_EDP] = "edp", [PLAN_POWER] = "power"};
	const struct goal *goal = &o->goal;

	json_string(j, "objective", objectives[goal->objective]);
	if (goal->deadline_ns)
		json_u64(j, "deadline_ns", goal->deadline_ns);
	if (goal->cap_mw)
		json_u64(j, "cap_mw", goal->cap_mw);
	if (plan->n_inputs > 1) {
		json_u64(j, "inputs", plan->n_inputs);
		json_string(j, "over", plan->over == PLAN_OVER_WORST ? "worst" : "mean");
	}
}

/* What is made small, whatever it is: the first line of the summary. */
static void json_saving(struct json *j, const struct outcome *o, const struct plan *plan)
{
	double base = plan_base(o, plan);

	json_double(j, "saving_percent", plan_saved(base, plan_now(o, plan)));
	json_double(j, "possible_percent", plan_saved(base, plan_bound(o, plan)));
	if (o->task->platform->energy_known)
		json_u64(j, "peak_mw",
			 (o->verdict == PLANNER_GAIN ? &o->best_ev : &o->base_ev)->total.peak_mw);
}

static void json_search(struct json *j, const struct outcome *o, const struct plan *plan)
{
	json_bool(j, "proven", plan->proven);
	json_bool(j, "interrupted", o->stopped);
	json_bool(j, "energy_known", o->task->platform->energy_known);
	json_u64(j, "conflicts_of_unknown_phases", model_anywhere(o->task->model));
	if (o->verdict == PLANNER_GAIN)
		json_double(j, "saved_if_never_percent", 100 * planner_gain_never(o));
	json_array(j, "doubts");
	for (size_t i = 0; i < o->task->model->n_doubts; i++)
		json_string(j, NULL, o->task->model->doubts[i]);
	json_end(j);
	json_bool(j, "cores_move", platform_moves(o->task->platform));
	json_double(j, "noise_percent", 100 * o->noise);
	json_double(j, "recorded_noise_percent", 100 * o->noise_all);
	json_string(j, "method", plan->method);
	json_u64(j, "evaluations", plan->evaluations);
}

void plan_print_json(const struct outcome *o, const struct plan *plan, const struct weighing *w,
		     const char *output, bool sensitivity)
{
	static const char *const verdicts[] = {
		[PLANNER_GAIN] = "gain",   [PLANNER_NO_GAIN] = "no-gain", [PLANNER_NOISE] = "noise",
		[PLANNER_PACE] = "pace",   [PLANNER_SYSTEM] = "system",   [PLANNER_SIMULATED] = "simulated",
		[PLANNER_APART] = "apart",
	};
	const struct sim_result *sim = o->verdict == PLANNER_GAIN ? &o->sim : &o->base_sim;
	struct strbuf sb = STRBUF_INIT;
	struct json j;
	bool base;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", PLAN_SCHEMA);
	json_string(&j, "program", plan->program);
	json_string(&j, "platform", plan->platform_name);
	json_goal(&j, o, plan);
	json_string(&j, "verdict", verdicts[o->verdict]);
	json_string(&j, "baseline_name", plan->baseline);
	json_cost(&j, "baseline", plan->base_time_ns, plan->base_energy_nj);
	json_cost(&j, "plan", plan->time_ns, plan->energy_nj);
	json_cost(&j, "simulated", plan->simulated_time_ns, plan->simulated_energy_nj);
	json_cost(&j, "simulated_baseline", o->base_sim.cost.time_ns, o->base_sim.cost.energy_pj / 1000);
	json_double(&j, "simulated_apart", outcome_apart(o, &base));
	json_bool(&j, "simulated_on_blocks", o->task->opts.blocks != NULL);
	json_u64(&j, "simulated_barrier_ns", sim->barrier_ns);
	json_u64(&j, "simulated_lock_ns", sim->lock_ns);
	json_cost(&j, "bound", plan->bound_time_ns, plan->bound_energy_nj);
	json_saving(&j, o, plan);
	json_search(&j, o, plan);
	json_string(&j, "turns_on", plan->turns_on);
	json_regret(&j, o);
	json_kinds(&j, plan);
	if (o->verdict == PLANNER_GAIN)
		plan_watts_json(o, &j);
	if (sensitivity && o->verdict == PLANNER_GAIN)
		plan_sense_json(o, &j);
	plan_front_json(o, &j);
	if (w)
		plan_weighed_json(w, plan, &j);
	json_threads(&j, plan);
	json_u64(&j, "thread_starts", plan_thread_starts(plan));
	json_u64(&j, "call_triggers", plan_call_triggers(plan));
	json_string(&j, "output", output);
	json_end(&j);
	cmd_print("%s\n", sb.s);
	strbuf_release(&sb);
}
