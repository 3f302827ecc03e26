/* SPDX-License-Identifier: MIT */
#include "cmd/plan/print/print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/plan/print/decide.h"
#include "cmd/plan/print/figures.h"
#include "cmd/plan/print/front.h"
#include "cmd/plan/print/lines.h"
#include "cmd/plan/print/sense.h"
#include "cmd/plan/print/text.h"
#include "cmd/plan/print/weighed.h"
#include "lib/num.h"
#include "planner/result/sensitivity.h"

static void print_cost(const struct outcome *o, uint64_t time_ns, uint64_t energy_nj)
{
	char time[32];

	cmd_print(" %9s", num_time(time, sizeof(time), (double)time_ns * 1e-9));
	if (o->task->platform->energy_known)
		cmd_print(" %9.2f J", (double)energy_nj * 1e-9);
}

/* Between what is saved if conflicts of unknown phases are in none, and in all. */
static void print_range(double got, double never, double most, const char *what)
{
	plan_item("saving", "%.2f to %.2f %% %s; at most %.2f %% is possible", fmin(got, never),
		  fmax(got, never), what, fmax(most, fmax(got, never)));
}

/* @never: what it saves if threads whose phases are not known meet in none. */
static void print_gain(const struct outcome *o, double got, double never, double most)
{
	const char *what = plan_figure_name(o);

	if (o->verdict != PLANNER_GAIN)
		plan_item("saving", "none; at most %.2f %% %s is possible", fmax(most, 0.0), what);
	else if (got < 0) /* better all the same: it keeps to limits that the baseline breaks */
		plan_item("costs", "%.2f %% more %s than a baseline that breaks the limits", -got, what);
	else if (model_anywhere(o->task->model))
		print_range(got, never, most, what);
	else
		plan_item("saving", "%.2f %% %s; at most %.2f %% is possible", got, what, fmax(most, got));
}

/* A conflict of which no phase is known counts in all: the two may never come to the line in the same one. */
static void print_never(const struct outcome *o, double never)
{
	const struct model *m = o->task->model;
	size_t n = model_anywhere(m);

	if (!n)
		return;
	plan_item("caution", "phases of %zu of %zu conflicts are not known: they count in all", n,
		  m->n_conflicts);
	if (o->verdict != PLANNER_GAIN)
		return;
	plan_item("", "if their threads meet in none, the plan %s %.2f %%", never < 0 ? "costs" : "saves",
		  fabs(never));
}

#define DOUBTS 3u /* that are told */

/* A model of a run that could not show all its conflicts. */
static void print_doubts(const struct model *m)
{
	for (size_t i = 0; i < m->n_doubts && i < DOUBTS; i++)
		plan_item("caution", "%s", m->doubts[i]);
	if (m->n_doubts > DOUBTS)
		plan_item("", "... %zu more", m->n_doubts - DOUBTS);
}

/* What is saved, and what could be. */
static void print_saving(const struct outcome *o, const struct plan *plan)
{
	double base = plan_base(o, plan), got = plan_saved(base, plan_now(o, plan));
	double most = plan_saved(base, plan_bound(o, plan)), never = 0;

	if (o->verdict == PLANNER_GAIN && model_anywhere(o->task->model))
		never = 100 * planner_gain_never(o);
	print_gain(o, got, never, most);
	plan_item("", "(gap %.2f points, %s)", fmax(most - got, 0.0),
		  plan->proven ? "proven by enumeration" : "relaxed bound, not proven");
	if (plan->turns_on)
		plan_item("turns on", "%s", plan->turns_on);
	print_never(o, never);
	print_doubts(o->task->model);
	if (o->verdict == PLANNER_GAIN)
		plan_watts_print(o);
}

static size_t count_steps(const struct plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_triggers; i++)
		for (size_t k = 0; k < plan->triggers[i].n_actions; k++)
			n += plan->triggers[i].actions[k].kind == PLAN_STEP;
	return n;
}

static void print_head(const struct outcome *o, const struct plan *plan, const char *output)
{
	size_t starts = plan_thread_starts(plan), calls = plan_call_triggers(plan), steps = count_steps(plan);
	const char *slash = strrchr(output, '/');
	char name[48];

	snprintf(name, sizeof(name), "%s (%.6s..)", plan->baseline, plan->baseline_sha256);
	cmd_print("baseline  %-17s", name);
	print_cost(o, plan->base_time_ns, plan->base_energy_nj);
	cmd_print("\nplan      %-17s", slash ? slash + 1 : output);
	print_cost(o, plan->time_ns, plan->energy_nj);
	/* Subtracted from zero, for nothing saved is not "-0.0". */
	cmd_print("  %+.1f %% time", 0.0 - plan_saved((double)plan->base_time_ns, (double)plan->time_ns));
	if (o->task->platform->energy_known)
		cmd_print(", %+.1f %% energy",
			  0.0 - plan_saved((double)plan->base_energy_nj, (double)plan->energy_nj));
	cmd_print("\n");
	if (steps)
		snprintf(name, sizeof(name), ", %zu frequency step%s", steps, steps == 1 ? "" : "s");
	plan_item("sets", "%zu thread start%s, %zu call trigger%s%s", starts, starts == 1 ? "" : "s", calls,
		  calls == 1 ? "" : "s", steps ? name : "");
}

/*
 * Where model and platform are of one machine, the recorded run time tells how
 * far the evaluator can be trusted.  A baseline that holds threads apart which
 * fight for a line takes longer than what the system made of it.
 */
static void print_recorded(const struct outcome *o, const struct plan *plan)
{
	double wall = (double)o->task->model->wall_ns, base = (double)plan->base_time_ns;
	double hz = (double)o->task->model->hz, top = (double)o->task->platform->steps[0].khz * 1e3;
	char text[40];

	if (fabs(hz - top) > 0.05 * top || !o->task->model->wall_ns || base < 1.1 * wall)
		return;
	plan_item("recorded", "%s, placed by the system: the baseline is predicted %.0f %% longer",
		  num_time(text, sizeof(text), wall / 1e9), 100 * (base / wall - 1));
	plan_item("", "than that, so expect less than promised; perseus prove measures it");
}

/* A baseline that is the best placement is worth setting: the system does not keep to it by itself. */
static void print_replaced(const struct outcome *o)
{
	if (!o->replaced)
		return;
	plan_item("instead", "of `%s`: that is the best placement, but nobody keeps to it",
		  baseline_name(o->asked));
	plan_item("", "unless it is set, so the plan is compared with the system's own");
}

static void print_steps(const struct outcome *o)
{
	for (uint32_t s = 0; s < o->task->platform->n_steps; s++)
		if (o->task->platform->steps[s].dominated)
			plan_item("steps",
				  "%.0f MHz needs more energy a cycle than a faster step: only for cores "
				  "with time to spare",
				  o->task->platform->steps[s].khz / 1e3);
}

/* A plan is made for one distance of the cores, though they may have another when it runs. */
static void print_moved(const struct platform *pf)
{
	for (int d = DIST_SMT; d < DIST_N; d++)
		if (pf->moved_transfer_ps[d])
			plan_item("prices",
				  "at distance `%s` a line travels %.0f ns, at another time %.0f: the gain "
				  "may be another",
				  platform_distance_name((enum platform_distance)d),
				  (double)pf->transfer_ps[d] / 1000, (double)pf->moved_transfer_ps[d] / 1000);
}

/* What the planner had to leave alone, and why. */
static void print_limits(const struct outcome *o)
{
	for (size_t i = 0; i < o->task->model->n_threads; i++)
		if (!o->task->model->threads[i].plannable)
			plan_item("left", "%s (thread %zu): %s", o->task->model->threads[i].name, i,
				  o->task->model->threads[i].reason ? o->task->model->threads[i].reason
								    : "not plannable");
	for (size_t i = 0; i < o->task->model->n_phases; i++)
		if (!o->task->model->phases[i].accepted)
			plan_item("left", "%s: %s", o->task->model->phases[i].name,
				  o->task->model->phases[i].reason ? o->task->model->phases[i].reason
								   : "differs between runs");
	if (o->problem->unpriced)
		plan_item("left", "conflicts: the platform has no price for them, perseus calibrate "
				  "measures it");
	print_moved(o->task->platform);
	if (o->stopped)
		cmd_print("left      the search was interrupted: this is the best design found until then\n");
}

/* What of the spread of the recorded runs counts, if it is not all. */
static void print_noise(const struct outcome *o)
{
	if (o->noise < o->noise_all && (o->verdict == PLANNER_NOISE || o->verdict == PLANNER_GAIN))
		plan_item("noise",
			  "recorded runs differ by %.1f %%; without waiting for shared lines that the "
			  "placement "
			  "takes away by %.1f %%",
			  100 * o->noise_all, 100 * o->noise);
}

/* What the simulator says of a run; joules if there are watts. */
static void run_text(const struct outcome *o, const struct cost *c, char *text, size_t size)
{
	char time[32];

	num_time(time, sizeof(time), (double)c->time_ns / 1e9);
	if (o->task->platform->energy_known)
		snprintf(text, size, "%s, %.2f J", time, (double)c->energy_pj * 1e-12);
	else
		snprintf(text, size, "%s", time);
}

static void print_not_simulated(const struct outcome *o)
{
	char best[64], base[64];

	run_text(o, &o->sim.cost, best, sizeof(best));
	run_text(o, &o->base_sim.cost, base, sizeof(base));
	plan_item("no plan",
		  "run block by block the best placement needs %s; the baseline %s: the gain of the fluid "
		  "model, %.1f %%, is not there",
		  best, base, 100 * o->gain);
}

/* Both evaluators' times, and joules if there are watts, of what they are farthest apart about. */
static void print_apart(const struct outcome *o)
{
	bool of_base;
	double factor = outcome_apart(o, &of_base);
	char fluid[64], block[64];

	run_text(o, of_base ? &o->base_ev.total : &o->best_ev.total, fluid, sizeof(fluid));
	run_text(o, of_base ? &o->base_sim.cost : &o->sim.cost, block, sizeof(block));
	plan_item("no plan",
		  "what is expected of %s is not known: the fluid model, which searched, says %s, the "
		  "block simulator %s, a factor of %.1f apart. Neither a gain nor that there is none rests "
		  "on that: perseus prove measures it",
		  of_base ? "the baseline" : "the best placement found", fluid, block, factor);
}

static void print_system(const struct outcome *o)
{
	const struct cost system = outcome_cost(o, &o->system_ev), best = outcome_cost(o, &o->best_ev);
	double now = plan_cost_figure(o, &system), then = plan_cost_figure(o, &best);

	double less = then > 0 ? 100 * (then - now) / then : 0;
	char by[32] = "no more";

	if (less >= 0.05)
		snprintf(by, sizeof(by), "%.1f %% less", less);
	plan_item("no plan",
		  "the baseline `os`, a fair scheduler without a plan, is expected to need %s %s than the "
		  "best placement found: leave it to the system",
		  by, plan_figure_name(o));
}

/* Why there is no plan. */
static void plan_print_print_verdict(const struct outcome *o)
{
	double models = o->problem->inputs ? o->problem->inputs->n : 1;
	char paced[32], best[32];

	if (o->verdict == PLANNER_NOISE)
		plan_item("no plan",
			  "the best gain, %.1f %%, is below the noise of the recorded runs, %.1f %%: record "
			  "more runs on a quiet machine and analyze them together",
			  100 * o->gain, 100 * o->noise);
	else if (o->verdict == PLANNER_PACE)
		plan_item("no plan",
			  "a scheduler that may move threads at any time is expected to need %s, the best "
			  "placement found %s: leave it to the system. That scheduler is an ideal that never "
			  "waits; yours may be slower, and perseus prove measures it",
			  num_time(paced, sizeof(paced), (double)o->pace_ns / models / 1e9),
			  num_time(best, sizeof(best), (double)o->best_ev.total.time_ns / models / 1e9));
	else if (o->verdict == PLANNER_SIMULATED)
		print_not_simulated(o);
	else if (o->verdict == PLANNER_SYSTEM)
		print_system(o);
	else if (o->verdict == PLANNER_APART)
		print_apart(o);
	else if (o->verdict == PLANNER_NO_GAIN)
		cmd_print("no plan   nothing found is better than the baseline `%s` by 0.05 %% or more\n",
			  baseline_name(o->task->opts.baseline));
}

/* The answer first: why there is no plan, or what it saves. */
void plan_print(const struct outcome *o, const struct plan *plan, const struct weighing *w,
		const char *output, bool sensitivity)
{
	bool sets = o->verdict == PLANNER_GAIN || plan->n_layouts;

	if (w)
		plan_weighed_print(w, plan);
	if (o->verdict != PLANNER_GAIN && plan->n_layouts)
		plan_item("threads",
			  "stay where they are: beside these layouts no placement is worth setting");
	else if (o->verdict != PLANNER_GAIN)
		plan_print_print_verdict(o);
	print_saving(o, plan);
	print_head(o, plan, output);
	print_replaced(o);
	print_recorded(o, plan);
	plan_lines_limits(o);
	plan_lines_simulated(o);
	plan_lines_against(o);
	plan_lines_kinds(o, plan);
	print_steps(o);
	plan_decide_print(o, plan);
	print_limits(o);
	print_noise(o);
	if (sensitivity && o->verdict == PLANNER_GAIN)
		plan_sense_print(o);
	plan_front_print(o);
	cmd_print("wrote %s%s\n", output, sets ? "" : ", which places no thread: keep your build");
	if (sets)
		plan_item("next", "perseus codegen%s%s", strcmp(output, "plan.yaml") ? " " : "",
			  strcmp(output, "plan.yaml") ? output : "");
}
