/* SPDX-License-Identifier: MIT */
#include "planner/search/worst.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/search/search.h"

#define ROUNDS 8 /* besides one for each input alone */
#define ALONE  8 /* inputs; with more, none is weighed alone */

/* Single changes that are tried for the worst input at most. */
#define MAX_CHANGES 200000

struct rounds {
	struct planner *p;
	uint64_t *repeats, *counts; /* unweighted */
	uint32_t *weight;           /* of each input */
	double *share;              /* that the weights follow */
	struct design best;
	struct cost cost;  /* its worst input's */
	struct cost bound; /* of the worst input */
	bool proven;
};

static uint32_t n_of(const struct rounds *x)
{
	return x->p->problem.inputs->n;
}

/* ---- weights ---- */

static void worst_weigh(struct rounds *x)
{
	struct problem *pb = &x->p->problem;

	for (uint32_t i = 0; i < pb->n_phases; i++)
		pb->phases[i].repeats = x->repeats[i] * x->weight[i % n_of(x)];
	for (uint32_t i = 0; i < pb->n_edges; i++)
		pb->edges[i].count = x->counts[i] * x->weight[pb->edges[i].to % n_of(x)];
}

static void weigh_alike(struct rounds *x)
{
	for (uint32_t s = 0; s < n_of(x); s++)
		x->weight[s] = 1;
	worst_weigh(x);
}

/* Round @r: one input alone, or by the shares. */
static void choose_weights(struct rounds *x, uint32_t r)
{
	uint32_t n = n_of(x), alone = n <= ALONE ? n : 0;

	for (uint32_t s = 0; s < n; s++)
		x->weight[s] = r < alone ? s == r : (uint32_t)(x->share[s] * INPUTS_WEIGHT * n);
}

/* More weight for inputs that cost more than their share of the sum, by half of it to the most. */
static void follow(struct rounds *x)
{
	uint32_t n = n_of(x);
	double sum = 0, all = 0;

	for (uint32_t s = 0; s < n; s++) {
		struct cost c = eval_input(&x->p->problem, &x->p->out.best_ev, s);

		sum += (double)cost_primary(&c, &x->p->out.goal) / n;
	}
	for (uint32_t s = 0; s < n && sum > 0; s++) {
		struct cost c = eval_input(&x->p->problem, &x->p->out.best_ev, s);
		double ratio = (double)cost_primary(&c, &x->p->out.goal) / sum;

		x->share[s] *= ratio < 0.5 ? 0.5 : ratio > 2 ? 2 : ratio;
		all += x->share[s];
	}
	for (uint32_t s = 0; s < n && all > 0; s++)
		x->share[s] /= all;
}

/* ---- rounds ---- */

/* The best design under the weights, judged by the worst input. */
static void worst_judge(struct rounds *x)
{
	struct planner *p = x->p;
	struct cost c;

	weigh_alike(x);
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
	c = outcome_cost(&p->out, &p->out.best_ev);
	if (cost_compare(&c, &x->cost, &p->out.goal) >= 0)
		return;
	design_copy(&x->best, &p->out.best, &p->problem);
	x->cost = c;
}

static void raise_bound(struct rounds *x, const struct cost *bound)
{
	uint64_t all = 0;

	for (uint32_t s = 0; s < n_of(x); s++)
		all += x->weight[s];
	if (bound->time_ns / all > x->bound.time_ns)
		x->bound.time_ns = bound->time_ns / all;
	if (bound->energy_pj / all > x->bound.energy_pj)
		x->bound.energy_pj = bound->energy_pj / all;
}

static void run_round(struct rounds *x, uint32_t r)
{
	struct planner *p = x->p;
	uint64_t all = 0;

	choose_weights(x, r);
	for (uint32_t s = 0; s < n_of(x); s++)
		all += x->weight[s];
	if (!all)
		return;
	worst_weigh(x);
	p->out.bound = (struct cost){0};
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
	planner_search(p);
	x->proven &= p->out.proven;
	raise_bound(x, &p->out.bound);
	worst_judge(x);
	follow(x);
}

/* ---- single changes ---- */

/* Keep the change in phases [first, last] if the worst input gains. */
static bool helps(struct rounds *x, uint32_t first, uint32_t last)
{
	struct planner *p = x->p;
	struct cost c;

	eval_range(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev, first, last);
	p->out.evaluations++;
	c = outcome_cost(&p->out, &p->out.best_ev);
	if (cost_compare(&c, &x->cost, &p->out.goal) >= 0)
		return false;
	x->cost = c;
	design_copy(&x->best, &p->out.best, &p->problem);
	return true;
}

static bool change_unit(struct rounds *x, uint32_t slot, uint16_t unit)
{
	const struct prob_slot *s = &x->p->problem.slots[slot];
	uint16_t *at = &x->p->out.best.unit[slot], old = *at;

	if (old == unit || s->kind == SLOT_FIXED || s->kind == SLOT_FOLLOW)
		return false;
	*at = unit;
	if (helps(x, s->touch_first, s->touch_last))
		return true;
	*at = old;
	eval_range(&x->p->problem, &x->p->out.best, &x->p->search.scratch, &x->p->out.best_ev, s->touch_first,
		   s->touch_last);
	return false;
}

/* A step from an epoch on, to the end of the run; the whole run is looked at. */
static bool change_step(struct rounds *x, size_t at, uint8_t step)
{
	const struct problem *pb = &x->p->problem;
	size_t n = pb->machine->n_domains, all = n * pb->n_epochs;
	uint8_t old = x->p->out.best.step[at];

	for (size_t i = at; i < all && x->p->out.best.step[i] == old; i += n)
		x->p->out.best.step[i] = step;
	if (old != step && helps(x, 0, pb->n_phases - 1))
		return true;
	design_copy(&x->p->out.best, &x->best, pb);
	eval_all(pb, &x->p->out.best, &x->p->search.scratch, &x->p->out.best_ev);
	return false;
}

static bool sweep(struct rounds *x, uint64_t *left)
{
	const struct problem *pb = &x->p->problem;
	bool better = false;

	for (uint32_t i = 0; i < pb->n_slots; i++)
		for (uint32_t u = 0; u < pb->machine->n_units && *left; u++, --*left)
			better |= change_unit(x, i, (uint16_t)u);
	for (size_t i = 0; i < (size_t)pb->n_epochs * pb->machine->n_domains; i++)
		for (uint32_t f = 0; f < pb->machine->n_steps && *left; f++, --*left)
			better |= change_step(x, i, (uint8_t)f);
	return better;
}

static void worst_finish(struct rounds *x)
{
	struct planner *p = x->p;
	uint64_t left = MAX_CHANGES / (1 + p->problem.n_phases / 16);

	weigh_alike(x);
	design_copy(&p->out.best, &x->best, &p->problem);
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
	/* A search for the least draw evaluates the baseline again, under its round's weights. */
	eval_all(&p->problem, &p->out.base, &p->search.scratch, &p->out.base_ev);
	while (left && !p->out.stopped && sweep(x, &left))
		;
	design_copy(&p->out.best, &x->best, &p->problem);
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
}

/* ---- the search ---- */

static void rounds_init(struct rounds *x, struct planner *p)
{
	const struct problem *pb = &p->problem;

	*x = (struct rounds){.p = p, .proven = true};
	x->repeats = mem_new(pb->n_phases + 1, sizeof(*x->repeats));
	x->counts = mem_new(pb->n_edges + 1, sizeof(*x->counts));
	x->weight = mem_new(n_of(x) + 1, sizeof(*x->weight));
	x->share = mem_new(n_of(x) + 1, sizeof(*x->share));
	for (uint32_t i = 0; i < pb->n_phases; i++)
		x->repeats[i] = pb->phases[i].repeats;
	for (uint32_t i = 0; i < pb->n_edges; i++)
		x->counts[i] = pb->edges[i].count;
	for (uint32_t s = 0; s < n_of(x); s++) {
		x->weight[s] = 1;
		x->share[s] = 1.0 / n_of(x);
	}
	design_init(&x->best, pb);
	design_copy(&x->best, &p->out.best, pb);
	x->cost = outcome_cost(&p->out, &p->out.best_ev);
}

static void rounds_release(struct rounds *x)
{
	design_release(&x->best);
	free(x->repeats);
	free(x->counts);
	free(x->weight);
	free(x->share);
}

void worst_search(struct planner *p)
{
	struct convergence *log = p->search.log;
	bool aside = p->search.aside;
	struct cost sums;
	struct rounds x;

	if (!outcome_is_worst(&p->out)) {
		planner_search(p);
		return;
	}
	rounds_init(&x, p);
	planner_search(p);
	x.proven = p->out.proven;
	sums = p->out.bound;
	raise_bound(&x, &p->out.bound);
	worst_judge(&x);
	follow(&x);
	p->search.aside = true;
	p->search.log = NULL;
	for (uint32_t r = 0; r < (n_of(&x) <= ALONE ? n_of(&x) : 0) + ROUNDS; r++)
		run_round(&x, r);
	p->search.aside = aside;
	p->search.log = log;
	worst_finish(&x);
	p->out.bound = sums;
	p->out.worst_bound = x.bound;
	p->out.proven = x.proven;
	p->out.method = "weighted inputs";
	/* They were found under other weights. */
	finalists_release(&p->search.finalists);
	p->search.finalists = (struct finalists){0};
	rounds_release(&x);
}
