/* SPDX-License-Identifier: MIT */
#include "cmd/plan/print/lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/plan/print/figures.h"
#include "cmd/plan/print/text.h"
#include "lib/num.h"
#include "lib/strbuf.h"
#include "planner/result/regret.h"

#define MAX_INPUTS 6 /* named one by one */

/* The change against @base in percent, negative where the plan needs less. */
static double against(const struct outcome *o, double base)
{
	const struct cost now = regret_cost(o, o->verdict == PLANNER_GAIN ? &o->best_ev : &o->base_ev);
	double percent = -plan_saved(base, plan_cost_figure(o, &now));

	return fabs(percent) < 0.05 ? 0 : percent; /* not "-0.0" */
}

/* The choice of a baseline alone moves a saving: here are the others. */
void plan_lines_against(const struct outcome *o)
{
	struct regret r[BASELINE_N];
	struct strbuf sb = STRBUF_INIT;
	double best, worst;

	planner_regret(o, r);
	best = against(o, plan_cost_figure(o, &r[BASELINE_RANDOM].best));
	worst = against(o, plan_cost_figure(o, &r[BASELINE_RANDOM].worst));
	for (int k = 0; k < BASELINE_RANDOM; k++)
		strbuf_printf(&sb, "%s %+.1f %%, ", baseline_name(r[k].baseline),
			      against(o, plan_cost_figure(o, &r[k].best)));
	strbuf_printf(&sb, "random %+.1f to %+.1f %%", fmin(best, worst), fmax(best, worst));
	plan_item("against", "%s", sb.s);
	strbuf_release(&sb);
}

/* What the fluid model does not know of: waiting inside of phases. */
static void print_waits(const struct sim_result *sim)
{
	char barriers[32], locks[32];

	if (sim->barrier_ns || sim->lock_ns)
		plan_item("", "inside of phases threads wait %s at barriers and %s for locks, all together",
			  num_time(barriers, sizeof(barriers), (double)sim->barrier_ns / 1e9),
			  num_time(locks, sizeof(locks), (double)sim->lock_ns / 1e9));
}

/* Block by block: what the fluid model, with which the search works, says as well. */
void plan_lines_simulated(const struct outcome *o)
{
	bool gain = o->verdict == PLANNER_GAIN;
	const struct cost *sim = gain ? &o->sim.cost : &o->base_sim.cost;
	double fluid = plan_cost_figure(o, gain ? &o->best_ev.total : &o->base_ev.total);
	double block = plan_cost_figure(o, sim), apart = block > 0 ? 100 * (block - fluid) / block : 0;
	char time[32], joules[32] = "";

	/* A sum over several inputs is the time of none. */
	if (o->problem->inputs)
		return;
	if (o->task->platform->energy_known)
		snprintf(joules, sizeof(joules), ", %.2f J", (double)sim->energy_pj * 1e-12);
	plan_item("simulated", "%s%s %s: the fluid model %s%.1f %%%s",
		  num_time(time, sizeof(time), (double)sim->time_ns / 1e9), joules,
		  o->task->opts.blocks ? "on the recorded blocks" : "block by block",
		  fabs(apart) < 0.05 ? "is within " : "is ", fabs(apart) < 0.05 ? 0.1 : fabs(apart),
		  fabs(apart) < 0.05 ? ""
		  : apart > 0        ? " below"
				     : " above");
	print_waits(gain ? &o->sim : &o->base_sim);
}

static void put_deadline(const struct outcome *o, struct strbuf *sb)
{
	const struct goal *goal = &o->goal;
	const struct cost *now = o->verdict == PLANNER_GAIN ? &o->best_ev.total : &o->base_ev.total;
	uint64_t base = o->base_ev.total.time_ns;
	char limit[32], left[32], late[32];

	if (!goal->deadline_ns || now->time_ns > goal->deadline_ns)
		return;
	strbuf_printf(sb, "the deadline of %s, %s to spare",
		      num_time(limit, sizeof(limit), (double)goal->deadline_ns / 1e9),
		      num_time(left, sizeof(left), (double)(goal->deadline_ns - now->time_ns) / 1e9));
	if (base > goal->deadline_ns)
		strbuf_printf(sb, " (the baseline is %s late)",
			      num_time(late, sizeof(late), (double)(base - goal->deadline_ns) / 1e9));
}

static void put_cap(const struct outcome *o, struct strbuf *sb)
{
	const struct goal *goal = &o->goal;
	const struct cost *now = o->verdict == PLANNER_GAIN ? &o->best_ev.total : &o->base_ev.total;

	if (!goal->cap_mw || now->over_mw)
		return;
	strbuf_printf(sb, "%sthe cap of %.1f W, it draws %.1f W at most", sb->len ? "; " : "",
		      (double)goal->cap_mw / 1e3, (double)now->peak_mw / 1e3);
	if (o->base_ev.total.over_mw)
		strbuf_printf(sb, " (the baseline %.1f W)", (double)o->base_ev.total.peak_mw / 1e3);
}

void plan_lines_limits(const struct outcome *o)
{
	const struct cost *now = o->verdict == PLANNER_GAIN ? &o->best_ev.total : &o->base_ev.total;
	const struct limit *phases = &o->task->opts.phase_deadline;
	struct strbuf sb = STRBUF_INIT;

	put_deadline(o, &sb);
	if ((phases->ns || phases->relative) && !now->late_ns)
		strbuf_printf(&sb, "%sthe deadline of every phase%s", sb.len ? "; " : "",
			      o->base_ev.total.late_ns ? " (the baseline does not)" : "");
	put_cap(o, &sb);
	if (sb.len)
		plan_item("keeps", "%s", sb.s);
	strbuf_release(&sb);
}

/* What a kind reaches, against the baseline in percent. */
static double reach(const struct outcome *o, const struct plan *plan, size_t i)
{
	const struct plan_reach *k = &plan->kinds[i];
	double now = plan_figure(o, (double)k->time_ns, (double)k->energy_nj * 1000, 0);

	return 0.0 - plan_saved(plan_base(o, plan), now);
}

/* "start -15.70 % (sets 7), phase -17.81 % (sets 9), call the same"; the draw of a kind is not in the plan. */
static void print_kinds(const struct outcome *o, const struct plan *plan)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < plan->n_kinds; i++) {
		const struct plan_reach *k = &plan->kinds[i], *before = i ? k - 1 : NULL;

		if (before && before->time_ns == k->time_ns && before->energy_nj == k->energy_nj &&
		    before->triggers == k->triggers)
			strbuf_printf(&sb, ", %s the same", plan_kind_words[k->kind]);
		else
			strbuf_printf(&sb, "%s%s %+.2f %% (sets %u)", i ? ", " : "", plan_kind_words[k->kind],
				      reach(o, plan, i), k->triggers);
	}
	if (sb.len && o->goal.objective != PLAN_POWER)
		plan_item("kinds", "%s", sb.s);
	strbuf_release(&sb);
}

/* "3 models, figures are their mean; a.yaml -5.1 %, b.yaml -3.2 %; it gains in 3" */
static void print_inputs(const struct outcome *o)
{
	const struct inputs *in = o->problem->inputs;
	struct strbuf sb = STRBUF_INIT;
	uint32_t wins = 0;

	for (uint32_t i = 0; i < in->n; i++) {
		struct cost base = eval_input(o->problem, &o->base_ev, i);
		struct cost now =
			eval_input(o->problem, o->verdict == PLANNER_GAIN ? &o->best_ev : &o->base_ev, i);
		const char *slash = strrchr(in->names[i], '/');
		double percent = -plan_saved(plan_cost_figure(o, &base), plan_cost_figure(o, &now));

		wins += cost_compare(&now, &base, &o->goal) < 0;
		if (i < MAX_INPUTS)
			strbuf_printf(&sb, ", %s %+.1f %%", slash ? slash + 1 : in->names[i],
				      fabs(percent) < 0.05 ? 0 : percent);
	}
	plan_item("inputs", "%u models, figures are %s%s%s; it gains in %u", in->n,
		  o->task->opts.over == PLAN_OVER_WORST ? "those of the worst" : "their mean", sb.s,
		  in->n > MAX_INPUTS ? ", .." : "", wins);
	strbuf_release(&sb);
}

void plan_lines_kinds(const struct outcome *o, const struct plan *plan)
{
	print_kinds(o, plan);
	if (o->problem->inputs)
		print_inputs(o);
}
