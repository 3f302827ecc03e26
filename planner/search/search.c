/* SPDX-License-Identifier: MIT */
/* The order of the search: blocks or fronts, designs made by rule, the genetic algorithm. */
#include "planner/search/search.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/exact/exact.h"
#include "planner/exact/equal.h"
#include "planner/heuristic/local.h"
#include "planner/heuristic/pack.h"
#include "planner/heuristic/path.h"
#include "planner/search/aim.h"
#include "planner/search/evolve.h"
#include "planner/search/stage.h"

#define KEEP       256 /* candidates of an enumerated block */
#define KEEP_LOCAL 8   /* of one that is too large */
#define TWINS      64  /* blocks before a block among which one like it is looked for */
/*
 * Budgets, in units of about 0.1 us, so that the search takes seconds at
 * most.  They count effort and not time: the result is the same everywhere.
 */
#define AUTO_EXACT  50000000 /* enumeration of all blocks */
#define AUTO_LOCAL  15000000 /* local searches */
#define ASIDE_EXACT 100      /* searches beside that of the plan get one part of so many */
#define ASIDE_LOCAL 30
#define EVAL_WORK   16 /* threads and units that are evaluated in one unit of effort */

/* Effort of evaluating one phase. */
static uint64_t phase_work(const struct planner *p)
{
	const struct problem *pb = &p->problem;

	return 1 +
	       (pb->max_members + 2 * pb->max_uses + p->machine.n_units + 2 * p->task.model->n_conflicts) /
		       EVAL_WORK;
}

/* ---- blocks ---- */

/* What the phases of a block cost by themselves. */
static struct cost block_cost(const struct problem *pb, uint32_t b, const struct evaluation *ev)
{
	struct cost sum = {0};

	for (uint32_t p = pb->blocks[b].first; p <= pb->blocks[b].last; p++) {
		const struct phase_cost *c = &ev->phase[p];
		struct cost one = {.time_ns = c->time_ns, .energy_pj = c->energy_pj, .peak_mw = c->draw_mw};

		cost_add(&sum, &one, pb->phases[p].repeats);
	}
	return sum;
}

static void add_design(struct planner *p, uint32_t b, const struct design *d, const struct evaluation *ev,
		       struct candidates *c)
{
	const struct problem *pb = &p->problem;
	const struct prob_block *block = &pb->blocks[b];
	struct candidate one = {.cost = block_cost(pb, b, ev)};
	uint32_t phases = block->last - block->first + 1;

	one.unit = mem_new(block->n_slots + 1, sizeof(*one.unit));
	one.step = mem_new((size_t)phases * p->machine.n_domains, 1);
	for (uint32_t k = 0; k < block->n_slots; k++)
		one.unit[k] = d->unit[block->slots[k]];
	for (uint32_t i = 0; i < phases; i++)
		memcpy(one.step + (size_t)i * p->machine.n_domains, design_steps(pb, d, block->first + i),
		       p->machine.n_domains);
	candidates_add(c, pb, b, &p->out.goal, &one);
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

		if (pb->epochs[ph->epoch] != k)
			continue;
		for (uint32_t i = 0; i < ph->n_heavy; i++)
			p->search.scratch.unit[i] = design_unit(pb, d, ph->members[i].slot);
		steps_separable(pb, ph, p->search.scratch.unit, &p->out.goal, &st,
				d->step + (size_t)ph->epoch * p->machine.n_domains, &cost);
		p->out.evaluations++;
	}
	stepper_release(&st);
}

/* Designs that a block's search has begun from. */
struct starts {
	struct local_options opts;
	struct cost cost[PACK_LIST + 16];
	uint32_t n;
};

/* The same cost means the same design, or one that is as good in another place. */
static bool was_tried(struct starts *tried, const struct cost *cost)
{
	for (uint32_t i = 0; i < tried->n; i++)
		if (tried->cost[i].time_ns == cost->time_ns && tried->cost[i].energy_pj == cost->energy_pj &&
		    tried->cost[i].peak_mw == cost->peak_mw)
			return true;
	if (tried->n < sizeof(tried->cost) / sizeof(tried->cost[0]))
		tried->cost[tried->n++] = *cost;
	return false;
}

/* A local optimum near @d becomes a candidate; of a block with many slots only if @d is among the best. */
static void try_start(struct planner *p, uint32_t b, struct starts *tried, struct design *d,
		      struct candidates *c)
{
	struct evaluation ev;
	struct cost cost;

	evaluation_init(&ev, &p->problem, false);
	eval_all(&p->problem, d, &p->search.scratch, &ev);
	cost = block_cost(&p->problem, b, &ev);
	if (was_tried(tried, &cost)) {
		evaluation_release(&ev);
		return;
	}
	if (p->problem.blocks[b].n_slots <= SEARCH_MANY_SLOTS || !c->n ||
	    cost_compare(&cost, &c->at[c->n - 1].cost, &p->out.goal) < 0)
		search_improve(p, d, &tried->opts, &ev);
	add_design(p, b, d, &ev, c);
	evaluation_release(&ev);
}

static void pack_block(struct planner *p, uint32_t b, struct starts *tried, struct design *d,
		       struct candidates *c)
{
	struct pack list[PACK_LIST];
	struct packer packer;
	uint32_t n;

	packer_init(&packer, &p->problem, &p->out.goal, &p->search.scratch);
	n = pack_list(&packer, b, list);
	for (uint32_t i = 0; i < n && !evolve_stop(p); i++) {
		design_copy(d, &p->out.base, &p->problem);
		p->out.evaluations += pack_make(&packer, b, &list[i], d);
		try_start(p, b, tried, d, c);
	}
	packer_release(&packer);
}

/* Candidates of a block that is too large: local optima near designs made by rule. */
static void search_locally(struct planner *p, uint32_t b, struct candidates *c)
{
	/* Half of what is left is for the whole run. */
	uint64_t parts = 2 * (p->problem.n_blocks - b) * (4 + p->machine.n_packages);
	struct starts tried = {.opts = {.goal = p->out.goal,
					.first = p->problem.blocks[b].first,
					.last = p->problem.blocks[b].last,
					.max_evaluations = search_share(p, parts),
					.stop = evolve_stop,
					.ctx = p}};
	struct design d;

	design_init(&d, &p->problem);
	pack_block(p, b, &tried, &d, c);
	for (uint32_t i = 0; !evolve_stop(p) && search_start(p, i, &d); i++) {
		choose_steps(p, b, &d);
		try_start(p, b, &tried, &d, c);
	}
	design_release(&d);
}

/* What is worse by more than this than the best candidate is of no interest, ns or pJ. */
static uint64_t change_margin(const struct planner *p, uint32_t b)
{
	uint64_t ns = search_margin_ns(p, b);

	return p->out.goal.objective == PLAN_TIME ? ns : ns * p->machine.full_mw;
}

/* If a block before is the same problem, its candidates are those of @b, too. */
static bool copy_equal(struct planner *p, struct candidates *all, uint32_t b)
{
	struct candidates *c = &all[b];
	const uint64_t margin = change_margin(p, b);

	for (uint32_t k = 1; k <= b && k <= TWINS; k++) {
		if (change_margin(p, b - k) != margin || !equal_blocks(&p->problem, b - k, b))
			continue;
		equal_copy(&p->problem, b, &p->out.goal, &all[b - k], c);
		cost_add(&p->out.bound, &c->bound, 1);
		p->out.proven &= c->proven;
		return true;
	}
	return false;
}

static void search_block(struct planner *p, uint32_t b, struct candidates *c)
{
	struct exact_options opts = {.goal = p->out.goal,
				     .keep = KEEP,
				     .margin = change_margin(p, b),
				     .max_work = p->search.exact_left / (p->problem.n_blocks - b),
				     .stop = evolve_stop,
				     .ctx = p};
	struct cost bound;

	if (p->task.opts.exact_off ||
	    (p->problem.blocks[b].n_slots > SEARCH_MANY_SLOTS && p->task.opts.method != PLANNER_EXACT)) {
		candidates_init(c, &p->problem, b, KEEP_LOCAL);
		c->bound = exact_relaxed(&p->problem, b);
	} else {
		exact_search(&p->problem, b, &p->out.base, &opts, &p->search.scratch, c);
	}
	p->search.exact_left -= c->work < p->search.exact_left ? c->work : p->search.exact_left;
	p->out.evaluations += c->evaluations;
	cost_add(&p->out.bound, &c->bound, 1);
	if (c->proven)
		return;
	p->out.proven = false;
	bound = c->bound;
	candidates_release(c);
	candidates_init(c, &p->problem, b, KEEP_LOCAL);
	c->bound = bound;
	search_locally(p, b, c);
}

/* ---- the whole run ---- */

static void search_blocks(struct planner *p)
{
	struct candidates *c = mem_new(p->problem.n_blocks, sizeof(*c));
	const struct path_options path = {.goal = p->out.goal, .stop = evolve_stop, .ctx = p};
	struct design d;

	p->out.proven = true;
	p->out.method = p->problem.n_blocks > 1 ? "exact per phase + shortest path" : "exact";
	for (uint32_t b = 0; b < p->problem.n_blocks; b++)
		if (!copy_equal(p, c, b))
			search_block(p, b, &c[b]);
	design_init(&d, &p->problem);
	design_copy(&d, &p->out.best, &p->problem);
	path_search(&p->problem, c, &p->out.base, &path, &p->search.scratch, &d, &p->out.evaluations);
	search_finish(p, &d);
	design_release(&d);
	for (uint32_t b = 0; b < p->problem.n_blocks; b++)
		candidates_release(&c[b]);
	free(c);
}

static void search_from_rules(struct planner *p)
{
	struct design d;

	design_init(&d, &p->problem);
	for (uint32_t i = 0; !evolve_stop(p) && search_start(p, i, &d); i++)
		search_finish(p, &d);
	design_release(&d);
}

static void search_genetically(struct planner *p)
{
	struct design d;

	design_init(&d, &p->problem);
	design_copy(&d, &p->out.best, &p->problem);
	evolve(p, &d);
	search_finish(p, &d);
	design_release(&d);
	p->out.method = "genetic";
}

static void relaxed_bound(struct planner *p)
{
	for (uint32_t b = 0; b < p->problem.n_blocks; b++) {
		struct cost c = exact_relaxed(&p->problem, b);

		cost_add(&p->out.bound, &c, 1);
	}
}

static void set_budgets(struct planner *p)
{
	uint64_t n = p->task.opts.evaluations;

	p->search.local_left = n ? n : AUTO_LOCAL / phase_work(p);
	p->search.exact_left = AUTO_EXACT;
	if (p->task.opts.method == PLANNER_EXACT)
		p->search.exact_left = n ? n : UINT64_MAX / 2;
	if (p->search.aside) {
		p->search.exact_left =
			(p->search.exact_left < AUTO_EXACT ? p->search.exact_left : AUTO_EXACT) / ASIDE_EXACT;
		p->search.local_left /= ASIDE_LOCAL;
	}
}

void planner_search(struct planner *p)
{
	evolve_begin(p);
	set_budgets(p);
	if (p->task.opts.method == PLANNER_GENETIC)
		relaxed_bound(p);
	else if (aim_needed(p))
		aim_search(p);
	else
		search_blocks(p);
	if (p->task.opts.front && !p->out.n_plans)
		aim_front(p);
	search_from_rules(p);
	evolve_log(p);
	if (!evolve_agree(p) && !p->search.aside && !p->out.proven && p->task.opts.method != PLANNER_EXACT)
		search_genetically(p);
	evolve_end(p);
	aim_end(p);
}
