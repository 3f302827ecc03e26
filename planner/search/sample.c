/* SPDX-License-Identifier: MIT */
#include "planner/search/sample.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/heuristic/pack.h"
#include "planner/search/stage.h"
#include "planner/search/evolve.h"

#define WAYS    2 /* to pack the block, for time and for the second figure */
#define BETWEEN 6 /* deadlines between the fastest and the most frugal */

struct sampler {
	struct planner *p;
	uint32_t b;
	struct block_front *f;
	struct candidate one;
	struct evaluation ev;
	uint64_t parts;
};

/* What the block costs in the design at hand. */
static struct cost block_cost(const struct sampler *x)
{
	const struct problem *pb = &x->p->problem;
	struct cost sum = {0};

	for (uint32_t i = pb->blocks[x->b].first; i <= pb->blocks[x->b].last; i++) {
		const struct phase_cost *c = &x->ev.phase[i];
		const uint64_t limit = pb->phases[i].limit_ns;
		const struct cost one = {
			.time_ns = c->time_ns,
			.energy_pj = c->energy_pj,
			.peak_mw = c->draw_mw,
			.late_ns = limit && c->time_ns > limit,
			.over_mw = pb->cap_mw && c->draw_mw > pb->cap_mw,
		};

		cost_add(&sum, &one, pb->phases[i].repeats);
	}
	return sum;
}

static void sample_append(struct sampler *x, const struct design *d)
{
	const struct problem *pb = &x->p->problem;
	const struct prob_block *block = &pb->blocks[x->b];
	uint32_t n = pb->machine->n_domains;

	x->one.cost = block_cost(x);
	if (x->one.cost.late_ns || x->one.cost.over_mw)
		return;
	for (uint32_t k = 0; k < block->n_slots; k++)
		x->one.unit[k] = d->unit[block->slots[k]];
	for (uint32_t i = block->first; i <= block->last; i++)
		memcpy(x->one.step + (size_t)(i - block->first) * n, design_steps(pb, d, i), n);
	block_front_add(x->f, pb, x->b, &x->one);
}

/* A local search in the block for @objective; @ns: within so much time for the block, 0: any. */
static void search(struct sampler *x, struct design *d, enum plan_objective objective, uint64_t ns)
{
	struct planner *p = x->p;
	struct local_options opts = {.goal.objective = objective,
				     .first = p->problem.blocks[x->b].first,
				     .last = p->problem.blocks[x->b].last,
				     .max_evaluations = search_share(p, x->parts),
				     .stop = evolve_stop,
				     .ctx = p};

	if (ns) {
		eval_all(&p->problem, d, &p->search.scratch, &x->ev);
		opts.goal.deadline_ns = x->ev.total.time_ns - block_cost(x).time_ns + ns;
	}
	search_improve(p, d, &opts, &x->ev);
	sample_append(x, d);
}

/* From the most promising ways to pack the block. */
static void search_packed(struct sampler *x, struct design *d, enum plan_objective objective)
{
	struct planner *p = x->p;
	const struct goal goal = {.objective = objective};
	struct pack list[PACK_LIST];
	struct packer packer;
	uint32_t n;

	packer_init(&packer, &p->problem, &goal, &p->search.scratch);
	n = pack_list(&packer, x->b, list);
	for (uint32_t i = 0; i < n && i < WAYS && !evolve_stop(p); i++) {
		uint64_t used = pack_make(&packer, x->b, &list[i], d);

		p->search.local_left -= used < p->search.local_left ? used : p->search.local_left;
		search(x, d, objective, 0);
	}
	packer_release(&packer);
}

static void search_between(struct sampler *x, struct design *d, enum plan_objective second)
{
	const struct front *f = &x->f->front;
	uint64_t from, to;

	if (f->n < 2)
		return;
	from = f->at[0].cost.time_ns;
	to = f->at[f->n - 1].cost.time_ns;
	for (uint64_t i = 1; i <= BETWEEN && !evolve_stop(x->p); i++)
		search(x, d, second, to - (to - from) / (BETWEEN + 1) * i);
}

void sample_front(struct planner *p, uint32_t b, struct block_front *f)
{
	const struct prob_block *block = &p->problem.blocks[b];
	const enum plan_objective second = f->front.peak ? PLAN_POWER : PLAN_ENERGY;
	struct sampler x = {.p = p, .b = b, .f = f};
	struct front bound = f->bound;
	struct design d;

	/* Half of what is left is for the whole run. */
	x.parts =
		2 * (uint64_t)(p->problem.n_blocks - b) * (2 * (4 + p->machine.n_packages + WAYS) + BETWEEN);
	front_init(&f->bound, f->front.peak);
	design_init(&d, &p->problem);
	evaluation_init(&x.ev, &p->problem, false);
	x.one.unit = mem_new(block->n_slots + 1, sizeof(*x.one.unit));
	x.one.step = mem_new((size_t)(block->last - block->first + 1) * p->machine.n_domains, 1);
	design_copy(&d, &p->out.base, &p->problem);
	search_packed(&x, &d, PLAN_TIME);
	search_packed(&x, &d, second);
	for (uint32_t i = 0; !evolve_stop(p) && search_start(p, i, &d); i++) {
		search(&x, &d, PLAN_TIME, 0);
		search(&x, &d, second, 0);
	}
	search_between(&x, &d, second);
	/* What was found is no bound. */
	front_release(&f->bound);
	f->bound = bound;
	free(x.one.unit);
	free(x.one.step);
	evaluation_release(&x.ev);
	design_release(&d);
}
