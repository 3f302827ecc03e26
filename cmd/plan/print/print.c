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
#include "lib/num.h"
#include "planner/worst.h"

static void print_cost(const struct planner *p, uint64_t time_ns, uint64_t energy_nj)
{
	char time[32];

	cmd_print(" %9s", num_time(time, sizeof(time), (double)time_ns * 1e-9));
	if (p->task.platform->energy_known)
		cmd_print(" %9.2f J", (double)energy_nj * 1e-9);
}

static void print_gain(const struct planner *p, double got, double most)
{
	const char *what = plan_figure_name(p);

	if (p->out.verdict != PLANNER_GAIN)
		plan_item("saving", "none; at most %.2f %% %s is possible", fmax(most, 0.0), what);
	else if (got < 0) /* better all the same: it keeps to limits that the baseline breaks */
		plan_item("costs", "%.2f %% more %s than a baseline that breaks the limits", -got, what);
	else
		plan_item("saving", "%.2f %% %s; at most %.2f %% is possible", got, what, fmax(most, got));
}

/* The answer first: what is saved, and what could be. */
static void print_saving(const struct planner *p, const struct plan *plan)
{
	double base = plan_base(p, plan), got = plan_saved(base, plan_now(p, plan));
	double most = plan_saved(base, plan_bound(p, plan));

	print_gain(p, got, most);
	plan_item("", "(gap %.2f points, %s)", fmax(most - got, 0.0),
		  plan->proven ? "proven by enumeration" : "relaxed bound, not proven");
	if (plan->turns_on)
		plan_item("turns on", "%s", plan->turns_on);
}

static size_t count_steps(const struct plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_triggers; i++)
		for (size_t k = 0; k < plan->triggers[i].n_actions; k++)
			n += plan->triggers[i].actions[k].kind == PLAN_STEP;
	return n;
}

static void print_head(const struct planner *p, const struct plan *plan, const char *output)
{
	size_t starts = plan_thread_starts(plan), calls = plan_call_triggers(plan), steps = count_steps(plan);
	const char *slash = strrchr(output, '/');
	char name[48];

	snprintf(name, sizeof(name), "%s (%.6s..)", plan->baseline, plan->baseline_sha256);
	cmd_print("baseline  %-17s", name);
	print_cost(p, plan->base_time_ns, plan->base_energy_nj);
	cmd_print("\nplan      %-17s", slash ? slash + 1 : output);
	print_cost(p, plan->time_ns, plan->energy_nj);
	/* Subtracted from zero, for nothing saved is not "-0.0". */
	cmd_print("  %+.1f %% time", 0.0 - plan_saved((double)plan->base_time_ns, (double)plan->time_ns));
	if (p->task.platform->energy_known)
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
static void print_recorded(const struct planner *p, const struct plan *plan)
{
	double wall = (double)p->task.model->wall_ns, base = (double)plan->base_time_ns;
	double hz = (double)p->task.model->hz, top = (double)p->task.platform->steps[0].khz * 1e3;
	char text[40];

	if (fabs(hz - top) > 0.05 * top || !p->task.model->wall_ns || base < 1.1 * wall)
		return;
	plan_item("recorded", "%s, placed by the system: the baseline is predicted %.0f %% longer",
		  num_time(text, sizeof(text), wall / 1e9), 100 * (base / wall - 1));
	plan_item("", "than that, so expect less than promised; perseus prove measures it");
}

/* A baseline that is the best placement is worth setting: the system does not keep to it by itself. */
static void print_replaced(const struct planner *p)
{
	if (!p->out.replaced)
		return;
	plan_item("instead", "of `%s`: that is the best placement, but nobody keeps to it",
		  baseline_name(p->out.asked));
	plan_item("", "unless it is set, so the plan is compared with the system's own");
}

static void print_steps(const struct planner *p)
{
	for (uint32_t s = 0; s < p->task.platform->n_steps; s++)
		if (p->task.platform->steps[s].dominated)
			plan_item("steps",
				  "%.0f MHz needs more energy a cycle than a faster step: only for cores "
				  "with time to spare",
				  p->task.platform->steps[s].khz / 1e3);
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
static void print_limits(const struct planner *p)
{
	for (size_t i = 0; i < p->task.model->n_threads; i++)
		if (!p->task.model->threads[i].plannable)
			plan_item("left", "%s (thread %zu): %s", p->task.model->threads[i].name, i,
				  p->task.model->threads[i].reason ? p->task.model->threads[i].reason
								   : "not plannable");
	for (size_t i = 0; i < p->task.model->n_phases; i++)
		if (!p->task.model->phases[i].accepted)
			plan_item("left", "%s: %s", p->task.model->phases[i].name,
				  p->task.model->phases[i].reason ? p->task.model->phases[i].reason
								  : "differs between runs");
	if (p->problem.unpriced)
		plan_item("left", "conflicts: the platform has no price for them, perseus calibrate "
				  "measures it");
	print_moved(p->task.platform);
	if (p->out.stopped)
		cmd_print("left      the search was interrupted: this is the best design found until then\n");
}

/* What of the spread of the recorded runs counts, if it is not all. */
static void print_noise(const struct planner *p)
{
	if (p->out.noise < p->out.noise_all &&
	    (p->out.verdict == PLANNER_NOISE || p->out.verdict == PLANNER_GAIN))
		plan_item("noise",
			  "recorded runs differ by %.1f %%; without waiting for shared lines that the "
			  "placement "
			  "takes away by %.1f %%",
			  100 * p->out.noise_all, 100 * p->out.noise);
}

/* What the simulator says of a run; joules if there are watts. */
static void run_text(const struct planner *p, const struct cost *c, char *text, size_t size)
{
	char time[32];

	num_time(time, sizeof(time), (double)c->time_ns / 1e9);
	if (p->task.platform->energy_known)
		snprintf(text, size, "%s, %.2f J", time, (double)c->energy_pj * 1e-12);
	else
		snprintf(text, size, "%s", time);
}

static void print_not_simulated(const struct planner *p)
{
	char best[64], base[64];

	run_text(p, &p->out.sim.cost, best, sizeof(best));
	run_text(p, &p->out.base_sim.cost, base, sizeof(base));
	plan_item("no plan",
		  "run block by block the best placement needs %s; the baseline %s: the gain of the fluid "
		  "model, %.1f %%, is not there",
		  best, base, 100 * p->out.gain);
}

/* Both evaluators' times, and joules if there are watts, of what they are farthest apart about. */
static void print_apart(const struct planner *p)
{
	bool of_base;
	double factor = outcome_apart(&p->out, &of_base);
	char fluid[64], block[64];

	run_text(p, of_base ? &p->out.base_ev.total : &p->out.best_ev.total, fluid, sizeof(fluid));
	run_text(p, of_base ? &p->out.base_sim.cost : &p->out.sim.cost, block, sizeof(block));
	plan_item("no plan",
		  "what is expected of %s is not known: the fluid model, which searched, says %s, the "
		  "block simulator %s, a factor of %.1f apart. Neither a gain nor that there is none rests "
		  "on that: perseus prove measures it",
		  of_base ? "the baseline" : "the best placement found", fluid, block, factor);
}

static void print_system(const struct planner *p)
{
	const struct cost system = outcome_cost(&p->out, &p->out.system_ev),
			  best = outcome_cost(&p->out, &p->out.best_ev);
	double now = plan_cost_figure(p, &system), then = plan_cost_figure(p, &best);

	double less = then > 0 ? 100 * (then - now) / then : 0;
	char by[32] = "no more";

	if (less >= 0.05)
		snprintf(by, sizeof(by), "%.1f %% less", less);
	plan_item("no plan",
		  "the baseline `os`, a fair scheduler without a plan, is expected to need %s %s than the "
		  "best placement found: leave it to the system",
		  by, plan_figure_name(p));
}

static void print_verdict(const struct planner *p)
{
	double models = p->problem.inputs ? p->problem.inputs->n : 1;
	char paced[32], best[32];

	print_noise(p);
	if (p->out.verdict == PLANNER_NOISE)
		plan_item("no plan",
			  "the best gain, %.1f %%, is below the noise of the recorded runs, %.1f %%: record "
			  "more runs on a quiet machine and analyze them together",
			  100 * p->out.gain, 100 * p->out.noise);
	else if (p->out.verdict == PLANNER_PACE)
		plan_item("no plan",
			  "a scheduler that may move threads at any time is expected to need %s, the best "
			  "placement found %s: leave it to the system. That scheduler is an ideal that never "
			  "waits; yours may be slower, and perseus prove measures it",
			  num_time(paced, sizeof(paced), (double)p->out.pace_ns / models / 1e9),
			  num_time(best, sizeof(best), (double)p->out.best_ev.total.time_ns / models / 1e9));
	else if (p->out.verdict == PLANNER_SIMULATED)
		print_not_simulated(p);
	else if (p->out.verdict == PLANNER_SYSTEM)
		print_system(p);
	else if (p->out.verdict == PLANNER_APART)
		print_apart(p);
	else if (p->out.verdict == PLANNER_NO_GAIN)
		cmd_print("no plan   nothing found is better than the baseline `%s` by 0.05 %% or more\n",
			  baseline_name(p->task.opts.baseline));
}

void plan_print(const struct planner *p, const struct plan *plan, const char *output, bool sensitivity)
{
	print_saving(p, plan);
	print_head(p, plan, output);
	print_replaced(p);
	print_recorded(p, plan);
	plan_lines_limits(p);
	plan_lines_simulated(p);
	plan_lines_against(p);
	plan_lines_kinds(p, plan);
	print_steps(p);
	plan_decide_print(p, plan);
	print_limits(p);
	print_verdict(p);
	if (sensitivity && p->out.verdict == PLANNER_GAIN)
		plan_sense_print(p);
	plan_front_print(p);
	cmd_print("wrote %s%s\n", output,
		  p->out.verdict == PLANNER_GAIN ? "" : " (the baseline: no thread is placed)");
}
