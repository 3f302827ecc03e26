/* SPDX-License-Identifier: MIT */
/* The order of the search: blocks, designs made by rule, the genetic algorithm. */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/exact.h"
#include "planner/genetic.h"
#include "planner/local.h"
#include "planner/path.h"
#include "planner/planner.h"

#define KEEP       256 /* candidates of an enumerated block */
#define KEEP_LOCAL 8   /* of one that is too large */
/*
 * Budgets, in units of about 0.1 us, so that the search takes seconds at
 * most.  They count effort and not time: the result is the same everywhere.
 */
#define AUTO_EXACT   50000000 /* enumeration of all blocks */
#define AUTO_LOCAL   15000000 /* local searches */
#define AUTO_GENETIC 30000000 /* genetic algorithm */
#define EVAL_WORK    16       /* threads and units that are evaluated in one unit of effort */

static bool stop(void *ctx)
{
	struct planner *p = ctx;

	if (!p->stopped && p->opts.stop && p->opts.stop(p->opts.ctx))
		p->stopped = true;
	return p->stopped;
}

/* Effort of evaluating one phase; all phases. */
static uint64_t phase_work(const struct planner *p)
{
	return 1 + (p->problem.max_members + p->machine.n_units + 2 * p->model->n_conflicts) / EVAL_WORK;
}

static uint64_t run_work(const struct planner *p)
{
	return p->problem.n_phases * phase_work(p);
}

/* Evaluations that one of @parts local searches may use, of what is left. */
static uint64_t local_share(const struct planner *p, uint64_t parts)
{
	return p->local_left / parts + 100;
}

static void improve(struct planner *p, struct design *d, const struct local_options *opts,
		    struct evaluation *ev)
{
	uint64_t used = 0;

	local_search(&p->problem, d, opts, &p->scratch, ev, &used);
	p->evaluations += used;
	p->local_left -= used < p->local_left ? used : p->local_left;
}

/* ---- starting points ---- */

static void keep_fixed(const struct planner *p, struct design *d)
{
	for (uint32_t i = 0; i < p->problem.n_seats; i++)
		if (p->problem.seats[i].kind == SEAT_FIXED)
			d->unit[i] = p->base.unit[i];
}

/* Number @i of a small set of designs made by rule; false after the last one. */
static bool make_start(const struct planner *p, uint32_t i, struct design *d)
{
	if (i == 0) {
		design_copy(d, &p->base, &p->problem);
	} else if (i == 1) {
		baseline_make(&p->problem, BASELINE_PACK, 0, d);
	} else if (i < 4) {
		baseline_cluster(&p->problem, i == 3, d);
	} else if (i - 4 < p->machine.n_packages) {
		baseline_balance(&p->problem, p->machine.packages[i - 4].last, true, d);
	} else {
		return false;
	}
	keep_fixed(p, d);
	return true;
}

/* ---- blocks ---- */

/* The most that changes into the phases of a block can cost, ns or pJ. */
static uint64_t change_margin(const struct planner *p, uint32_t b)
{
	const struct problem *pb = &p->problem;
	const struct platform *pf = p->platform;
	uint64_t ns = 0, each;

	each = eval_start_ns(pb) + p->machine.n_domains * pf->frequency_ns + pf->trigger_ns;
	for (uint32_t i = 0; i < pb->n_edges; i++)
		if (pb->phases[pb->edges[i].to].block == b ||
		    (pb->edges[i].from != PROB_NONE && pb->phases[pb->edges[i].from].block == b))
			ns += pb->edges[i].count * each;
	return p->opts.goal.objective == PLAN_TIME ? ns : ns * p->machine.full_mw;
}

static void add_design(struct planner *p, uint32_t b, const struct design *d, const struct evaluation *ev,
		       struct candidates *c)
{
	const struct problem *pb = &p->problem;
	const struct prob_block *block = &pb->blocks[b];
	struct candidate one = {.cost = {0, 0}};
	uint32_t phases = block->last - block->first + 1;

	one.unit = mem_new(block->n_seats + 1, sizeof(*one.unit));
	one.step = mem_new((size_t)phases * p->machine.n_domains, 1);
	for (uint32_t k = 0; k < block->n_seats; k++)
		one.unit[k] = d->unit[block->seats[k]];
	for (uint32_t i = 0; i < phases; i++) {
		const struct phase_cost *cost = &ev->phase[block->first + i];

		memcpy(one.step + (size_t)i * p->machine.n_domains, design_steps(pb, d, block->first + i),
		       p->machine.n_domains);
		one.cost.time_ns += cost->time_ns * pb->phases[block->first + i].repeats;
		one.cost.energy_pj += cost->energy_pj * pb->phases[block->first + i].repeats;
	}
	candidates_add(c, pb, b, &p->opts.goal, &one);
	free(one.unit);
	free(one.step);
}

/* Frequencies of a block for the placement at hand, phase by phase. */
static void choose_steps(struct planner *p, uint32_t b, struct design *d)
{
	const struct problem *pb = &p->problem;
	struct stepper st;
	struct cost cost;

	stepper_init(&st, pb);
	for (uint32_t k = pb->blocks[b].first; k <= pb->blocks[b].last; k++) {
		const struct prob_phase *ph = &pb->phases[k];

		if (pb->eras[ph->era] != k)
			continue;
		for (uint32_t i = 0; i < ph->n_heavy; i++)
			p->scratch.unit[i] = design_unit(pb, d, ph->members[i].seat);
		steps_separable(pb, ph, p->scratch.unit, &p->opts.goal, &st,
				d->step + (size_t)ph->era * p->machine.n_domains, &cost);
		p->evaluations++;
	}
	stepper_release(&st);
}

/* Candidates of a block that is too large: local optima near designs made by rule. */
static void search_locally(struct planner *p, uint32_t b, struct candidates *c)
{
	/* Half of what is left is for the whole run. */
	uint64_t parts = 2 * (p->problem.n_blocks - b) * (4 + p->machine.n_packages);
	const struct local_options opts = {p->opts.goal,
					   p->problem.blocks[b].first,
					   p->problem.blocks[b].last,
					   local_share(p, parts),
					   stop,
					   p};
	struct design d;
	struct evaluation ev;

	design_init(&d, &p->problem);
	evaluation_init(&ev, &p->problem, false);
	for (uint32_t i = 0; !stop(p) && make_start(p, i, &d); i++) {
		choose_steps(p, b, &d);
		improve(p, &d, &opts, &ev);
		add_design(p, b, &d, &ev, c);
	}
	design_release(&d);
	evaluation_release(&ev);
}

static void search_block(struct planner *p, uint32_t b, struct candidates *c)
{
	struct exact_options opts = {.goal = p->opts.goal,
				     .keep = KEEP,
				     .margin = change_margin(p, b),
				     .max_work = p->exact_left / (p->problem.n_blocks - b),
				     .stop = stop,
				     .ctx = p};
	struct cost bound;

	exact_search(&p->problem, b, &p->base, &opts, &p->scratch, c);
	p->exact_left -= c->work < p->exact_left ? c->work : p->exact_left;
	p->evaluations += c->evaluations;
	p->bound.time_ns += c->bound.time_ns;
	p->bound.energy_pj += c->bound.energy_pj;
	if (c->proven)
		return;
	p->proven = false;
	bound = c->bound;
	candidates_release(c);
	candidates_init(c, &p->problem, b, KEEP_LOCAL);
	c->bound = bound;
	search_locally(p, b, c);
}

/* ---- the whole run ---- */

/* Finish @d by local search and keep it if it is the best so far. */
static void finish(struct planner *p, struct design *d)
{
	const struct local_options opts = {p->opts.goal,      0,    p->problem.n_phases - 1,
					   local_share(p, 3), stop, p};
	struct evaluation ev;

	evaluation_init(&ev, &p->problem, true);
	improve(p, d, &opts, &ev);
	if (cost_compare(&ev.total, &p->best_ev.total, &p->opts.goal) < 0) {
		design_copy(&p->best, d, &p->problem);
		eval_all(&p->problem, &p->best, &p->scratch, &p->best_ev);
	}
	evaluation_release(&ev);
}

static void search_blocks(struct planner *p)
{
	struct candidates *c = mem_new(p->problem.n_blocks, sizeof(*c));
	struct design d;

	p->proven = true;
	p->method = p->problem.n_blocks > 1 ? "exact per phase + shortest path" : "exact";
	for (uint32_t b = 0; b < p->problem.n_blocks; b++)
		search_block(p, b, &c[b]);
	design_init(&d, &p->problem);
	design_copy(&d, &p->best, &p->problem);
	path_search(&p->problem, c, &p->base, &p->opts.goal, &p->scratch, &d, &p->evaluations);
	finish(p, &d);
	design_release(&d);
	for (uint32_t b = 0; b < p->problem.n_blocks; b++)
		candidates_release(&c[b]);
	free(c);
}

static void search_from_rules(struct planner *p)
{
	struct design d;

	design_init(&d, &p->problem);
	for (uint32_t i = 0; !stop(p) && make_start(p, i, &d); i++)
		finish(p, &d);
	design_release(&d);
}

static void search_genetically(struct planner *p)
{
	const struct genetic_options opts = {
		p->opts.goal, p->opts.seed,
		p->opts.evaluations ? p->opts.evaluations : AUTO_GENETIC / (500 + run_work(p)), stop, p};
	struct design d;

	design_init(&d, &p->problem);
	design_copy(&d, &p->best, &p->problem);
	genetic_search(&p->problem, &opts, &p->scratch, &d, &p->evaluations);
	finish(p, &d);
	design_release(&d);
	p->method = "genetic";
}

static void relaxed_bound(struct planner *p)
{
	for (uint32_t b = 0; b < p->problem.n_blocks; b++) {
		struct cost c = exact_relaxed(&p->problem, b);

		p->bound.time_ns += c.time_ns;
		p->bound.energy_pj += c.energy_pj;
	}
}

static void set_budgets(struct planner *p)
{
	uint64_t n = p->opts.evaluations;

	p->local_left = n ? n : AUTO_LOCAL / phase_work(p);
	p->exact_left = AUTO_EXACT;
	if (p->opts.method == PLANNER_EXACT)
		p->exact_left = n ? n : UINT64_MAX / 2;
}

void planner_search(struct planner *p)
{
	set_budgets(p);
	if (p->opts.method == PLANNER_GENETIC)
		relaxed_bound(p);
	else
		search_blocks(p);
	search_from_rules(p);
	if (!p->proven && p->opts.method != PLANNER_EXACT && !stop(p))
		search_genetically(p);
}
