/* SPDX-License-Identifier: MIT */
/* Which figure of the platform the gain hinges on, and where it turns. */
#include "lib/strbuf.h"
#include "planner/planner.h"

/*
 * Energy is linear in what a halted package draws: with h the time of halting
 * in plan and baseline, the two are equal at
 *	halt + (base - plan) / (h_plan - h_base).
 */
static char *halt_sentence(struct planner *p)
{
	uint64_t plan_ns = eval_halt_ns(&p->problem, &p->best, &p->scratch, &p->best_ev);
	uint64_t base_ns = eval_halt_ns(&p->problem, &p->base, &p->scratch, &p->base_ev);
	uint64_t gain = p->base_ev.total.energy_pj - p->best_ev.total.energy_pj, limit, mw;
	struct strbuf sb = STRBUF_INIT;

	if (plan_ns <= base_ns)
		return NULL;
	limit = p->platform->package_halt_mw + gain / (plan_ns - base_ns);
	mw = (uint64_t)(p->machine.packages[0].last - p->machine.packages[0].first) *
	     p->machine.idle_mw[p->machine.idle_step];
	if (limit >= mw)
		strbuf_printf(
			&sb,
			"package halt power: the plan gains as long as a halted package draws less than its "
			"idle cores, %.1f W; the platform has %.1f W",
			(double)mw / 1000, (double)p->platform->package_halt_mw / 1000);
	else
		strbuf_printf(&sb,
			      "package halt power: below %.1f W the plan gains, above it loses; the platform "
			      "has %.1f W",
			      (double)limit / 1000, (double)p->platform->package_halt_mw / 1000);
	return strbuf_detach(&sb);
}

/* Does the plan beat the baseline if conflicts cost @permille of their price? */
static bool gains_at(struct planner *p, uint64_t permille)
{
	bool gains;

	p->scratch.conflict_permille = permille;
	eval_all(&p->problem, &p->best, &p->scratch, &p->best_ev);
	eval_all(&p->problem, &p->base, &p->scratch, &p->base_ev);
	gains = cost_primary(&p->best_ev.total, &p->opts.goal) <
		cost_primary(&p->base_ev.total, &p->opts.goal);
	p->scratch.conflict_permille = 1000;
	return gains;
}

static char *conflict_sentence(struct planner *p)
{
	uint64_t loses = 0, gains = 1000;
	struct strbuf sb = STRBUF_INIT;
	bool depends = !gains_at(p, 0);

	while (depends && gains - loses > 1) {
		uint64_t middle = (gains + loses) / 2;

		if (gains_at(p, middle))
			gains = middle;
		else
			loses = middle;
	}
	gains_at(p, 1000);
	if (!depends)
		return NULL;
	if (gains <= 10)
		strbuf_puts(
			&sb,
			"price of a shared cache line: the plan gains as soon as it costs anything at all");
	else
		strbuf_printf(&sb,
			      "price of a shared cache line: above %.0f %% of the platform's figure the plan "
			      "gains, "
			      "below it loses",
			      (double)gains / 10);
	return strbuf_detach(&sb);
}

char *planner_turns_on(struct planner *p)
{
	char *sentence = p->opts.goal.objective == PLAN_ENERGY ? halt_sentence(p) : NULL;

	return sentence ? sentence : conflict_sentence(p);
}
