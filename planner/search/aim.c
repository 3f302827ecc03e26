/* SPDX-License-Identifier: MIT */
#include "planner/search/aim.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/search/evolve.h"
#include "planner/exact/exact.h"
#include "planner/heuristic/path.h"
#include "planner/search/sample.h"
#include "planner/search/points.h"
#include "planner/search/stage.h"

#define RUN_POINTS   512 /* of the front of the run */
#define BLOCK_POINTS 64  /* of a block's where there are several */
#define KEEP         64  /* candidates of a block under a point's times */
#define NEAR         4   /* neighbours of the point on the block's front */
#define ATTEMPTS     4   /* points tried until a design keeps to the deadline */

struct aim {
	struct planner *p;
	bool peak;
	struct block_front *blocks;
	struct front *reached; /* reached[b]: sums of the blocks before b */
	struct front bound;
	bool proven;
	uint32_t *pick;    /* of each block, for the point at hand */
	struct cost *rest; /* after each block, for the point at hand */
};

bool aim_needed(const struct planner *p)
{
	const struct goal *goal = &p->out.goal;

	return goal->objective > PLAN_ENERGY || goal->deadline_ns || p->problem.limited;
}

/* ---- fronts ---- */

static void block_front(struct aim *a, uint32_t b)
{
	struct planner *p = a->p;
	struct block_front *f = &a->blocks[b];
	const struct exact_options opts = {.keep = 1,
					   .max_work = p->search.exact_left / (2 * (p->problem.n_blocks - b)),
					   .stop = evolve_stop,
					   .ctx = p};
	const struct front_point relaxed = {.cost = exact_relaxed(&p->problem, b)};

	if (p->task.opts.exact_off ||
	    (p->problem.blocks[b].n_slots > SEARCH_MANY_SLOTS && p->task.opts.method != PLANNER_EXACT)) {
		block_front_init(f, a->peak);
		front_add(&f->bound, &relaxed);
	} else {
		exact_front(&p->problem, b, &p->out.base, a->peak, &opts, &p->search.scratch, f);
		p->search.exact_left -= f->work < p->search.exact_left ? f->work : p->search.exact_left;
		p->out.evaluations += f->evaluations;
	}
	if (!f->proven)
		sample_front(p, b, f);
	a->proven &= f->proven;
	if (p->problem.n_blocks > 1) {
		front_thin(&f->front, BLOCK_POINTS, false);
		front_thin(&f->bound, BLOCK_POINTS, true);
	}
}

static void add_bound(struct aim *a, uint32_t b)
{
	struct front sum;

	front_sum(&a->bound, &a->blocks[b].bound, 1, &sum);
	front_thin(&sum, RUN_POINTS, true);
	front_release(&a->bound);
	a->bound = sum;
}

static void aim_init(struct aim *a, struct planner *p, bool peak)
{
	uint32_t n = p->problem.n_blocks;

	*a = (struct aim){.p = p, .peak = peak, .proven = true};
	a->blocks = mem_new(n + 1, sizeof(*a->blocks));
	a->reached = mem_new(n + 1, sizeof(*a->reached));
	a->pick = mem_new(n + 1, sizeof(*a->pick));
	a->rest = mem_new(n + 1, sizeof(*a->rest));
	front_init(&a->reached[0], peak);
	front_init(&a->bound, peak);
	front_add(&a->reached[0], &(struct front_point){.left = 0});
	front_add(&a->bound, &(struct front_point){.left = 0});
	for (uint32_t b = 0; b < n; b++) {
		block_front(a, b);
		front_sum(&a->reached[b], &a->blocks[b].front, 1, &a->reached[b + 1]);
		front_thin(&a->reached[b + 1], RUN_POINTS, false);
		add_bound(a, b);
	}
}

static void aim_release(struct aim *a)
{
	for (uint32_t b = 0; b < a->p->problem.n_blocks; b++)
		block_front_release(&a->blocks[b]);
	for (uint32_t b = 0; b <= a->p->problem.n_blocks; b++)
		front_release(&a->reached[b]);
	front_release(&a->bound);
	free(a->blocks);
	free(a->reached);
	free(a->pick);
	free(a->rest);
}

static const struct front *whole(const struct aim *a)
{
	return &a->reached[a->p->problem.n_blocks];
}

/* ---- bounds ---- */

static void relaxed_bound(struct planner *p)
{
	p->out.bound = (struct cost){0};
	for (uint32_t b = 0; b < p->problem.n_blocks; b++) {
		struct cost c = exact_relaxed(&p->problem, b);

		cost_add(&p->out.bound, &c, 1);
	}
}

/* What no design within the limits can be below, from the points that keep to the deadline. */
static void set_bounds(struct aim *a)
{
	struct planner *p = a->p;
	uint64_t deadline = p->out.goal.deadline_ns;
	const struct front_point *last = NULL;

	relaxed_bound(p);
	for (uint32_t i = 0; i < a->bound.n; i++) {
		const struct cost *c = &a->bound.at[i].cost;
		unsigned __int128 edp = (unsigned __int128)c->time_ns * c->energy_pj;

		if (deadline && c->time_ns > deadline)
			break;
		last = &a->bound.at[i];
		if (!p->out.bound_edp || edp < p->out.bound_edp)
			p->out.bound_edp = edp;
	}
	if (a->bound.n && a->bound.at[0].cost.time_ns > p->out.bound.time_ns)
		p->out.bound.time_ns = a->bound.at[0].cost.time_ns;
	if (last && a->peak && last->cost.peak_mw > p->out.bound.peak_mw)
		p->out.bound.peak_mw = last->cost.peak_mw;
	if (last && !a->peak && last->cost.energy_pj > p->out.bound.energy_pj)
		p->out.bound.energy_pj = last->cost.energy_pj;
	p->out.impossible = !last;
	p->out.front_error = front_error(whole(a), &a->bound);
	p->out.proven = a->proven && p->out.front_error <= 0;
}

/* ---- from a point to a design ---- */

/* What every design pays for setting threads where they start, ns. */
static uint64_t starts_ns(const struct planner *p)
{
	const struct problem *pb = &p->problem;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < pb->n_edges; i++) {
		bool starts = false;

		for (uint32_t k = 0; k < pb->edges[i].n_arrivals; k++) {
			const struct prob_arrival *at = &pb->edges[i].arrivals[k];

			starts |= at->before == PROB_NONE && pb->slots[at->slot].kind != SLOT_FIXED &&
				  pb->slots[at->slot].kind != SLOT_FOLLOW;
		}
		sum += starts ? pb->edges[i].count * eval_start_ns(pb) : 0;
	}
	return sum;
}

static void pick(struct aim *a, uint32_t at)
{
	struct cost rest = {0};

	for (uint32_t b = a->p->problem.n_blocks; b-- > 0;) {
		const struct front_point *point = &a->reached[b + 1].at[at];

		a->pick[b] = point->right;
		a->rest[b] = rest;
		cost_add(&rest, &a->blocks[b].front.at[point->right].cost, 1);
		at = point->left;
	}
}

/* The point of block @b, and unless @strict its neighbours, the fastest and the slowest. */
static void add_points(struct aim *a, uint32_t b, const struct goal *goal, bool strict, struct candidates *c)
{
	const struct planner *p = a->p;
	const struct prob_block *block = &p->problem.blocks[b];
	const struct block_front *f = &a->blocks[b];
	size_t steps = (size_t)(block->last - block->first + 1) * p->machine.n_domains;

	for (uint32_t i = 0; i < f->front.n; i++) {
		uint32_t away = i < a->pick[b] ? a->pick[b] - i : i - a->pick[b], at = f->front.at[i].left;
		struct candidate one = {f->front.at[i].cost, f->unit + (size_t)at * block->n_slots,
					f->step + at * steps};

		if (!away || (!strict && (away <= NEAR || i == 0 || i + 1 == f->front.n)))
			candidates_add(c, &p->problem, b, goal, &one);
	}
}

/* Many ways to carry out block @b within the time of the point at hand. */
static void list_block(struct aim *a, uint32_t b, bool strict, struct candidates *out)
{
	struct planner *p = a->p;
	const struct cost *at = &a->blocks[b].front.at[a->pick[b]].cost;
	const enum plan_objective objective = a->peak ? PLAN_TIME : PLAN_ENERGY;
	const struct goal within = {.objective = objective, .deadline_ns = at->time_ns};
	const struct goal free_goal = {.objective = objective};
	const uint64_t ns = search_margin_ns(p, b);
	const struct exact_options opts = {.goal = within,
					   .keep = KEEP,
					   .margin = a->peak ? ns : ns * p->machine.full_mw,
					   .max_work = p->search.exact_left / (2 * (p->problem.n_blocks - b)),
					   .stop = evolve_stop,
					   .ctx = p};
	struct candidates c = {0};

	candidates_init(out, &p->problem, b, KEEP + 2 * NEAR + 3);
	add_points(a, b, &free_goal, strict, out);
	if (!a->blocks[b].proven)
		return;
	exact_search(&p->problem, b, &p->out.base, &opts, &p->search.scratch, &c);
	for (uint32_t i = 0; i < c.n; i++)
		candidates_add(out, &p->problem, b, &free_goal, &c.at[i]);
	p->search.exact_left -= c.work < p->search.exact_left ? c.work : p->search.exact_left;
	p->out.evaluations += c.evaluations;
	candidates_release(&c);
}

/*
 * A design for point @at of the run's front, the best by @goal of those that
 * the walk meets; unless @strict also points near it may be taken.
 */
static void realise(struct aim *a, uint32_t at, const struct goal *goal, bool strict, struct design *d)
{
	struct planner *p = a->p;
	const struct path_options path = {
		.goal = *goal, .rest = a->rest, .own_steps = strict, .stop = evolve_stop, .ctx = p};
	struct candidates *c = mem_new(p->problem.n_blocks + 1, sizeof(*c));

	pick(a, at);
	for (uint32_t b = 0; b < p->problem.n_blocks; b++)
		list_block(a, b, strict, &c[b]);
	path_search(&p->problem, c, &p->out.base, &path, &p->search.scratch, d, &p->out.evaluations);
	for (uint32_t b = 0; b < p->problem.n_blocks; b++)
		candidates_release(&c[b]);
	free(c);
}

/* ---- goals ---- */

/* From here on a lower draw than @mw is worth nothing, and more counts in every phase. */
static void set_cap(struct planner *p, uint64_t mw)
{
	p->problem.cap_mw = mw;
	p->problem.limited |= mw != 0;
	eval_all(&p->problem, &p->out.base, &p->search.scratch, &p->out.base_ev);
	eval_all(&p->problem, &p->out.best, &p->search.scratch, &p->out.best_ev);
}

/*
 * Changes take time, so that a point's design takes longer than the point: if
 * it comes out too long, aim at a faster point by as much.
 */
static void hit(struct aim *a)
{
	struct planner *p = a->p;
	const struct front *f = whole(a);
	const struct goal *goal = &p->out.goal;
	struct goal aimed = *goal;
	uint64_t beyond = starts_ns(p);
	struct design d;

	design_init(&d, &p->problem);
	for (int i = 0; i < ATTEMPTS && !evolve_stop(p); i++) {
		uint32_t at;

		if (goal->deadline_ns)
			aimed.deadline_ns = aimed.deadline_ns > beyond ? aimed.deadline_ns - beyond : 1;
		at = front_best(f, &aimed);
		if (at == UINT32_MAX)
			break;
		if (i == 0 && a->peak)
			set_cap(p, f->at[at].cost.peak_mw);
		realise(a, at, goal, false, &d);
		search_finish(p, &d);
		realise(a, at, &(struct goal){.objective = a->peak ? PLAN_TIME : PLAN_ENERGY}, true, &d);
		search_finish(p, &d);
		if (!cost_late_ns(&p->out.best_ev.total, goal) || f->at[0].cost.time_ns > aimed.deadline_ns)
			break;
		beyond = cost_late_ns(&p->out.best_ev.total, goal);
	}
	design_release(&d);
}

/* ---- the front of the run, with changes ---- */

/* The design of point @at, as frugal as can be in about the point's time; of the first also the fastest. */
static void make_point(struct aim *a, uint32_t at, uint64_t parts)
{
	struct planner *p = a->p;
	const uint64_t time = whole(a)->at[at].cost.time_ns + starts_ns(p);
	struct local_options opts = {.goal = {.objective = PLAN_ENERGY},
				     .last = p->problem.n_phases - 1,
				     .max_evaluations = search_share(p, parts),
				     .stop = evolve_stop,
				     .ctx = p};
	struct evaluation ev;
	struct design d;

	design_init(&d, &p->problem);
	evaluation_init(&ev, &p->problem, true);
	realise(a, at, &opts.goal, true, &d);
	eval_all(&p->problem, &d, &p->search.scratch, &ev);
	opts.goal.deadline_ns = ev.total.time_ns > time ? ev.total.time_ns : time;
	search_improve(p, &d, &opts, &ev);
	points_add(&p->out, &d, &ev.total);
	if (at == 0) {
		opts.goal = (struct goal){.objective = PLAN_TIME};
		search_improve(p, &d, &opts, &ev);
		points_add(&p->out, &d, &ev.total);
	}
	evaluation_release(&ev);
	design_release(&d);
}

/* Points of the front, the ends and others evenly between them, no more than were asked for. */
static void make_front(struct aim *a)
{
	struct planner *p = a->p;
	const struct front *f = whole(a);
	uint32_t n = f->n < p->task.opts.front ? f->n : p->task.opts.front;

	for (uint32_t i = 0; i < f->n; i++)
		front_add(&p->out.front, &f->at[i]);
	p->out.front_proven = a->proven;
	p->out.front_error = front_error(f, &a->bound);
	for (uint32_t i = 0; i < n && !evolve_stop(p); i++)
		make_point(a, n > 1 ? (uint32_t)((uint64_t)i * (f->n - 1) / (n - 1)) : 0, 2 * (n - i));
	points_add(&p->out, &p->out.best, &p->out.best_ev.total);
}

void aim_front(struct planner *p)
{
	struct aim a;

	aim_init(&a, p, false);
	make_front(&a);
	aim_release(&a);
}

void aim_end(struct planner *p)
{
	if (p->problem.cap_mw != p->out.goal.cap_mw)
		set_cap(p, p->out.goal.cap_mw);
}

void aim_search(struct planner *p)
{
	struct aim a;

	aim_init(&a, p, p->out.goal.objective == PLAN_POWER);
	set_bounds(&a);
	p->out.method = p->task.opts.exact_off ? "front by local search" : "exact front";
	hit(&a);
	if (p->task.opts.front && !a.peak)
		make_front(&a);
	aim_release(&a);
}
