/* SPDX-License-Identifier: MIT */
#include "planner/result/regret.h"

struct sums {
	unsigned __int128 time_ns, energy_pj;
};

static void regret_count(struct regret *r, struct sums *sums, const struct cost *c, const struct goal *goal,
			 bool first)
{
	sums->time_ns += c->time_ns;
	sums->energy_pj += c->energy_pj;
	r->peak_mw = c->peak_mw > r->peak_mw ? c->peak_mw : r->peak_mw;
	if (first || cost_compare(c, &r->best, goal) < 0)
		r->best = *c;
	if (first || cost_compare(c, &r->worst, goal) > 0)
		r->worst = *c;
}

struct cost regret_cost(const struct outcome *o, const struct evaluation *ev)
{
	const struct inputs *in = o->problem->inputs;
	struct cost c = ev->total;

	if (!in)
		return c;
	if (o->task->opts.over == PLAN_OVER_MEAN) {
		c.time_ns /= in->n;
		c.energy_pj /= in->n;
		return c;
	}
	for (uint32_t i = 0; i < in->n; i++) {
		struct cost one = eval_input(o->problem, ev, i);

		if (!i || cost_compare(&one, &c, &o->goal) > 0)
			c = one;
	}
	return c;
}

void planner_regret(const struct outcome *o, struct regret *out)
{
	struct evaluation ev;
	struct scratch s;
	struct design d;

	design_init(&d, o->problem);
	scratch_init(&s, o->problem);
	evaluation_init(&ev, o->problem, false);
	for (int k = 0; k < BASELINE_N; k++) {
		uint64_t n = k == BASELINE_RANDOM ? REGRET_SEEDS : 1;
		struct sums sums = {0, 0};
		struct cost c;

		out[k] = (struct regret){.baseline = (enum baseline)k};
		for (uint64_t i = 0; i < n; i++) {
			baseline_make(o->problem, (enum baseline)k, o->task->opts.seed + i, &d);
			eval_all(o->problem, &d, &s, &ev);
			c = regret_cost(o, &ev);
			regret_count(&out[k], &sums, &c, &o->goal, i == 0);
		}
		out[k].time_ns = (uint64_t)(sums.time_ns / n);
		out[k].energy_pj = (uint64_t)(sums.energy_pj / n);
	}
	evaluation_release(&ev);
	scratch_release(&s);
	design_release(&d);
}
