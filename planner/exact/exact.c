/* SPDX-License-Identifier: MIT */
#include "planner/exact/exact.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/cost/relax.h"
#include "planner/exact/symmetry.h"

/* Nodes between two questions whether to stop. */
#define ASK_EVERY 4096

/* Points of a placement's front, of a block's. */
#define LEAF_POINTS  512
#define BLOCK_POINTS 2048

struct search {
	const struct problem *pb;
	const struct prob_block *block;
	uint32_t index;
	uint32_t n_phases;
	const struct exact_options *opts;
	struct scratch *s;
	struct stepper st;
	struct touched touched;
	struct candidates *out;
	struct block_front *fronts; /* the front is searched, not the best candidates; or NULL */
	struct step_set *sets;      /* per phase of the block: what the placement at hand can reach */
	struct front *stage;        /* sums of those up to a phase; the first is nothing at all */
	bool limited;               /* there is a deadline or a cap */
	bool draws;                 /* the largest draw matters */
	struct candidate now;
	uint32_t *member;        /* of slot k in phase i: member[i * n_slots + k], PROB_NONE */
	uint16_t *unit;          /* of heavy member j in phase i: unit[i * max_members + j] */
	uint64_t *load;          /* of phase i: load[i * n_units * n_steps + ...] */
	struct steps_rest *rest; /* of phase i before slot k: rest[k * n_phases + i] */
	uint64_t limit;          /* best known primary plus the margin */
	uint64_t nodes;
	uint64_t node_work, leaf_work; /* effort of one, grows with the machine */
	bool stopped;
	bool inexact; /* some placement's steps were not proven best */
};

/* ---- candidates ---- */

void candidates_init(struct candidates *c, const struct problem *pb, uint32_t b, uint32_t keep)
{
	const struct prob_block *block = &pb->blocks[b];
	size_t phases = block->last - block->first + 1;

	*c = (struct candidates){.cap = keep};
	c->at = mem_new(keep + 1, sizeof(*c->at));
	for (uint32_t i = 0; i <= keep; i++) {
		c->at[i].unit = mem_new(block->n_slots + 1, sizeof(*c->at[i].unit));
		c->at[i].step = mem_new(phases * pb->machine->n_domains, 1);
	}
}

void candidates_release(struct candidates *c)
{
	for (uint32_t i = 0; c->at && i <= c->cap; i++) {
		free(c->at[i].unit);
		free(c->at[i].step);
	}
	free(c->at);
	*c = (struct candidates){0};
}

static void copy_candidate(const struct problem *pb, uint32_t b, struct candidate *to,
			   const struct candidate *from)
{
	const struct prob_block *block = &pb->blocks[b];

	to->cost = from->cost;
	memcpy(to->unit, from->unit, block->n_slots * sizeof(*to->unit));
	memcpy(to->step, from->step, (size_t)(block->last - block->first + 1) * pb->machine->n_domains);
}

void candidates_add(struct candidates *c, const struct problem *pb, uint32_t b, const struct goal *goal,
		    const struct candidate *one)
{
	struct candidate spare = c->at[c->cap];
	uint32_t at = c->n;

	while (at > 0 && cost_compare(&one->cost, &c->at[at - 1].cost, goal) < 0)
		at--;
	if (at == c->cap)
		return;
	copy_candidate(pb, b, &spare, one);
	if (c->n == c->cap)
		c->at[c->cap] = c->at[--c->n];
	else
		c->at[c->cap] = c->at[c->n];
	memmove(&c->at[at + 1], &c->at[at], (c->n - at) * sizeof(*c->at));
	c->at[at] = spare;
	c->n++;
}

/* ---- preparation ---- */

static const struct prob_phase *phase_of(const struct search *x, uint32_t i)
{
	return &x->pb->phases[x->block->first + i];
}

static uint64_t *load_of(const struct search *x, uint32_t i)
{
	return x->load + (size_t)i * x->pb->machine->n_units * x->pb->machine->n_steps;
}

/* Least energy above idle that a member needs, whatever its step. */
static uint64_t least_pj(const struct machine *m, const uint64_t *work)
{
	uint64_t best = UINT64_MAX;

	for (uint32_t f = 0; f < m->n_steps; f++) {
		uint64_t e = (m->busy_mw[f] - m->idle_mw[f]) * work[f];

		best = e < best ? e : best;
	}
	return best;
}

static void fill_members(struct search *x)
{
	for (uint32_t i = 0; i < x->n_phases; i++)
		for (uint32_t k = 0; k < x->block->n_slots; k++) {
			uint32_t *at = &x->member[(size_t)i * x->block->n_slots + k];

			*at = PROB_NONE;
			for (uint32_t j = 0; j < phase_of(x, i)->n_heavy; j++)
				if (phase_of(x, i)->members[j].slot == x->block->slots[k])
					*at = j;
		}
}

static void fill_rest(struct search *x)
{
	const struct machine *m = x->pb->machine;

	for (uint32_t i = 0; i < x->n_phases; i++)
		x->rest[(size_t)x->block->n_slots * x->n_phases + i].serial_ns =
			locks_least(m, phase_of(x, i));
	for (uint32_t k = x->block->n_slots; k-- > 0;)
		for (uint32_t i = 0; i < x->n_phases; i++) {
			struct steps_rest *r = &x->rest[(size_t)k * x->n_phases + i];
			uint32_t j = x->member[(size_t)i * x->block->n_slots + k];
			const uint64_t *w;

			*r = r[x->n_phases];
			if (j == PROB_NONE)
				continue;
			w = &phase_of(x, i)->work_ns[(size_t)j * m->n_steps];
			r->sum_ns += w[0];
			r->longest_ns = w[0] > r->longest_ns ? w[0] : r->longest_ns;
			r->least_pj += least_pj(m, w);
		}
}

static void put_member(struct search *x, uint32_t i, uint32_t j, uint32_t unit, bool add)
{
	uint32_t n = x->pb->machine->n_steps;
	const uint64_t *w = &phase_of(x, i)->work_ns[(size_t)j * n];
	uint64_t *l = load_of(x, i) + (size_t)unit * n;

	x->unit[(size_t)i * x->pb->max_members + j] = (uint16_t)unit;
	for (uint32_t f = 0; f < n; f++)
		l[f] = add ? l[f] + w[f] : l[f] - w[f];
}

static void place_fixed(struct search *x, const struct design *fixed)
{
	for (uint32_t i = 0; i < x->n_phases; i++)
		for (uint32_t j = 0; j < phase_of(x, i)->n_heavy; j++) {
			uint32_t slot = phase_of(x, i)->members[j].slot;

			if (x->pb->slots[slot].kind != SLOT_FIXED)
				continue;
			put_member(x, i, j, fixed->unit[slot], true);
			touched_add(&x->touched, x->pb->machine, fixed->unit[slot], 1);
		}
}

static void search_init(struct search *x)
{
	const struct machine *m = x->pb->machine;
	size_t slots = x->block->n_slots, loads = (size_t)m->n_units * m->n_steps;

	stepper_init(&x->st, x->pb);
	touched_init(&x->touched, m);
	x->member = mem_new(x->n_phases * slots + 1, sizeof(*x->member));
	x->unit = mem_new((size_t)x->n_phases * x->pb->max_members + 1, sizeof(*x->unit));
	x->load = mem_new(x->n_phases * loads, sizeof(*x->load));
	x->rest = mem_new((slots + 1) * x->n_phases, sizeof(*x->rest));
	x->now.unit = mem_new(slots + 1, sizeof(*x->now.unit));
	x->now.step = mem_new((size_t)x->n_phases * m->n_domains, 1);
	x->sets = mem_new(x->n_phases, sizeof(*x->sets));
	x->stage = mem_new(x->n_phases + 1, sizeof(*x->stage));
	for (uint32_t i = 0; i < x->n_phases; i++)
		step_set_init(&x->sets[i], x->fronts && x->fronts->front.peak);
	front_init(&x->stage[0], x->fronts && x->fronts->front.peak);
	front_add(&x->stage[0], &(struct front_point){.left = 0});
	x->node_work = 1 + (loads + 2 * x->pb->max_uses) * x->n_phases / 16;
	x->leaf_work = 1 + (loads * loads + 32 * x->pb->max_uses) * x->n_phases / 256;
	fill_members(x);
	fill_rest(x);
}

static void search_release(struct search *x)
{
	for (uint32_t i = 0; i < x->n_phases; i++)
		step_set_release(&x->sets[i]);
	for (uint32_t i = 0; i <= x->n_phases; i++)
		front_release(&x->stage[i]);
	free(x->sets);
	free(x->stage);
	stepper_release(&x->st);
	touched_release(&x->touched);
	free(x->member);
	free(x->unit);
	free(x->load);
	free(x->rest);
	free(x->now.unit);
	free(x->now.step);
}

/* ---- the tree ---- */

/* What a phase draws at least with these units at work. */
static uint64_t least_draw(const struct machine *m, const uint64_t *load)
{
	uint64_t busy = UINT64_MAX, sum = 0;

	for (uint32_t f = 0; f < m->n_steps; f++)
		busy = m->busy_mw[f] < busy ? m->busy_mw[f] : busy;
	for (uint32_t k = 0; k < m->n_packages; k++) {
		const struct machine_package *pkg = &m->packages[k];
		uint64_t awake = 0;
		bool any = false;

		for (uint32_t u = pkg->first; u < pkg->last; u++) {
			bool works = load[(size_t)u * m->n_steps];

			any |= works;
			awake += works ? busy : m->idle_mw[m->idle_step];
		}
		sum += any ? awake : pkg->halt_mw;
	}
	return sum;
}

/* The bound of everything below a node that has placed the first @k slots. */
static struct cost node_bound(const struct search *x, uint32_t k)
{
	struct cost sum = {0};

	for (uint32_t i = 0; i < x->n_phases; i++) {
		struct cost c;

		steps_bound(x->pb, load_of(x, i), &x->rest[(size_t)k * x->n_phases + i], &c);
		if (x->draws)
			c.peak_mw = least_draw(x->pb->machine, load_of(x, i));
		cost_add(&sum, &c, phase_of(x, i)->repeats);
	}
	return sum;
}

static bool hopeless(const struct search *x, const struct cost *bound)
{
	const struct candidates *c = x->out;
	unsigned __int128 primary;

	if (x->draws && x->pb->cap_mw && bound->peak_mw > x->pb->cap_mw)
		return true;
	if (x->fronts)
		return front_covers(&x->fronts->front, bound);
	if (x->opts->goal.deadline_ns && bound->time_ns > x->opts->goal.deadline_ns)
		return true;
	primary = cost_primary(bound, &x->opts->goal);
	if (primary > x->limit)
		return true;
	return c->n == c->cap && primary > cost_primary(&c->at[c->n - 1].cost, &x->opts->goal);
}

static const uint16_t *units_of(const struct search *x, uint32_t i)
{
	return &x->unit[(size_t)i * x->pb->max_members];
}

static uint8_t *steps_of(const struct search *x, uint32_t i)
{
	return &x->now.step[(size_t)i * x->pb->machine->n_domains];
}

/* The time of a phase with everybody at the top step, conflicts left out. */
static uint64_t top_time(const struct machine *m, const uint64_t *load)
{
	uint64_t longest = 0;

	for (uint32_t u = 0; u < m->n_units; u++)
		if (load[(size_t)u * m->n_steps] > longest)
			longest = load[(size_t)u * m->n_steps];
	return longest;
}

/* What the placement at hand cannot be below, conflicts and all: with a front, in each figure. */
static struct cost leaf_bound(struct search *x)
{
	struct cost sum = {0}, c, floor;

	for (uint32_t i = 0; i < x->n_phases; i++) {
		const struct prob_phase *ph = phase_of(x, i);

		steps_separable(x->pb, ph, units_of(x, i), &x->opts->goal, &x->st, steps_of(x, i), &c);
		if (x->fronts || x->limited)
			c.time_ns = top_time(x->pb->machine, load_of(x, i));
		if (x->draws)
			c.peak_mw = least_draw(x->pb->machine, load_of(x, i));
		if (phase_coupled(x->pb, ph, units_of(x, i), x->s)) {
			phase_floor(x->pb, ph, units_of(x, i), x->s, &floor);
			c.time_ns = floor.time_ns > c.time_ns ? floor.time_ns : c.time_ns;
			c.energy_pj += floor.energy_pj;
		}
		cost_add(&sum, &c, ph->repeats);
		x->out->evaluations++;
	}
	x->out->work += x->leaf_work;
	return sum;
}

static void keep_candidate(struct search *x)
{
	unsigned __int128 primary = cost_primary(&x->now.cost, &x->opts->goal) + x->opts->margin;

	if (hopeless(x, &x->now.cost))
		return;
	candidates_add(x->out, x->pb, x->index, &x->opts->goal, &x->now);
	if (primary < x->limit)
		x->limit = (uint64_t)primary;
}

static void leaf_best(struct search *x)
{
	struct cost sum = {0}, c;

	for (uint32_t i = 0; i < x->n_phases; i++) {
		x->inexact |= !steps_best(x->pb, phase_of(x, i), units_of(x, i), &x->opts->goal, &x->st, x->s,
					  steps_of(x, i), &c, &x->out->evaluations);
		cost_add(&sum, &c, phase_of(x, i)->repeats);
	}
	x->now.cost = sum;
	keep_candidate(x);
}

/* All that the placement at hand can reach, phase upon phase. */
static const struct front *reach(struct search *x)
{
	for (uint32_t i = 0; i < x->n_phases; i++) {
		struct front *sum = &x->stage[i + 1];

		x->inexact |= !steps_front(x->pb, phase_of(x, i), units_of(x, i), &x->st, x->s, &x->sets[i],
					   &x->out->evaluations);
		front_release(sum);
		front_sum(&x->stage[i], &x->sets[i].front, phase_of(x, i)->repeats, sum);
		x->inexact |= sum->n > LEAF_POINTS;
		front_thin(sum, LEAF_POINTS, false);
	}
	return &x->stage[x->n_phases];
}

/* Make point @at of what can be reached the candidate at hand. */
static void exact_choose(struct search *x, uint32_t at)
{
	uint32_t n = x->pb->machine->n_domains;

	x->now.cost = x->stage[x->n_phases].at[at].cost;
	for (uint32_t i = x->n_phases; i-- > 0;) {
		const struct front_point *point = &x->stage[i + 1].at[at];
		uint32_t place = x->sets[i].front.at[point->right].left;

		memcpy(steps_of(x, i), x->sets[i].step + (size_t)place * n, n);
		at = point->left;
	}
}

static void leaf_front(struct search *x)
{
	const struct front *all = reach(x);
	uint32_t best;

	for (uint32_t i = 0; x->fronts && i < all->n; i++) {
		if (front_covers(&x->fronts->front, &all->at[i].cost))
			continue;
		exact_choose(x, i);
		block_front_add(x->fronts, x->pb, x->index, &x->now);
	}
	best = front_best(all, &x->opts->goal);
	if (x->fronts || best == UINT32_MAX || !cost_keeps(&all->at[best].cost, &x->opts->goal))
		return;
	exact_choose(x, best);
	keep_candidate(x);
}

static void leaf(struct search *x)
{
	struct cost sum = leaf_bound(x);
	uint64_t before = x->out->evaluations;

	if (hopeless(x, &sum))
		return;
	if (x->fronts || x->limited)
		leaf_front(x);
	else
		leaf_best(x);
	x->out->work += x->leaf_work + (x->out->evaluations - before) * x->node_work;
}

static void put_slot(struct search *x, uint32_t k, uint32_t unit, bool add)
{
	for (uint32_t i = 0; i < x->n_phases; i++) {
		uint32_t j = x->member[(size_t)i * x->block->n_slots + k];

		if (j != PROB_NONE)
			put_member(x, i, j, unit, add);
	}
	touched_add(&x->touched, x->pb->machine, unit, add ? 1 : -1);
	x->now.unit[k] = (uint16_t)unit;
}

static bool out_of_budget(struct search *x)
{
	x->out->work += x->node_work;
	if (x->out->work > x->opts->max_work)
		x->stopped = true;
	if (++x->nodes % ASK_EVERY == 0 && x->opts->stop && x->opts->stop(x->opts->ctx))
		x->stopped = true;
	return x->stopped;
}

static void exact_descend(struct search *x, uint32_t k)
{
	struct cost bound;

	if (k == x->block->n_slots) {
		leaf(x);
		return;
	}
	for (uint32_t unit = 0; unit < x->pb->machine->n_units; unit++) {
		if (!symmetry_canonical(&x->touched, x->pb->machine, unit))
			continue;
		if (out_of_budget(x))
			return;
		put_slot(x, k, unit, true);
		bound = node_bound(x, k + 1);
		if (!hopeless(x, &bound))
			exact_descend(x, k + 1);
		put_slot(x, k, unit, false);
	}
}

/* ---- good placements to begin with, so that the bound cuts early ---- */

/* Each slot in turn to the unit that costs least so far, of the first @n_units units. */
static void greedy(struct search *x, uint32_t n_units)
{
	for (uint32_t k = 0; k < x->block->n_slots; k++) {
		struct cost best = {.time_ns = UINT64_MAX, .energy_pj = UINT64_MAX}, c;
		uint32_t at = 0;

		for (uint32_t unit = 0; unit < n_units; unit++) {
			put_slot(x, k, unit, true);
			c = node_bound(x, k + 1);
			put_slot(x, k, unit, false);
			if (cost_compare(&c, &best, &x->opts->goal) < 0) {
				best = c;
				at = unit;
			}
		}
		put_slot(x, k, at, true);
	}
	leaf(x);
	for (uint32_t k = 0; k < x->block->n_slots; k++)
		put_slot(x, k, x->now.unit[k], false);
	x->out->n = 0;
}

/*
 * A margin of its own for these: they only set the limit, the tree finds
 * them again in its own order.
 */
static void prime(struct search *x)
{
	const struct machine *m = x->pb->machine;

	for (uint32_t k = 0; k < m->n_packages; k++)
		greedy(x, m->packages[k].last);
}

struct cost exact_relaxed(const struct problem *pb, uint32_t b)
{
	struct cost sum = {0}, c;

	for (uint32_t p = pb->blocks[b].first; p <= pb->blocks[b].last; p++) {
		relax_phase(pb, &pb->phases[p], &c);
		cost_add(&sum, &c, pb->phases[p].repeats);
	}
	return sum;
}

static void exact_start(struct search *x, const struct problem *pb, uint32_t b,
			const struct exact_options *opts, struct scratch *s)
{
	*x = (struct search){.pb = pb,
			     .block = &pb->blocks[b],
			     .index = b,
			     .n_phases = pb->blocks[b].last - pb->blocks[b].first + 1,
			     .opts = opts,
			     .s = s,
			     .limit = UINT64_MAX,
			     .draws = pb->cap_mw};
	for (uint32_t p = pb->blocks[b].first; p <= pb->blocks[b].last; p++)
		x->limited |= pb->phases[p].limit_ns != 0;
	x->limited |= pb->cap_mw || opts->goal.deadline_ns;
}

void exact_search(const struct problem *pb, uint32_t b, const struct design *fixed,
		  const struct exact_options *opts, struct scratch *s, struct candidates *out)
{
	struct search x;

	candidates_init(out, pb, b, opts->keep);
	exact_start(&x, pb, b, opts, s);
	x.out = out;
	search_init(&x);
	place_fixed(&x, fixed);
	out->bound = exact_relaxed(pb, b);
	prime(&x);
	exact_descend(&x, 0);
	out->proven = !x.stopped && !x.inexact;
	if (out->proven && out->n && opts->goal.objective == PLAN_TIME)
		out->bound.time_ns = out->at[0].cost.time_ns;
	if (out->proven && out->n && opts->goal.objective == PLAN_ENERGY)
		out->bound.energy_pj = out->at[0].cost.energy_pj;
	search_release(&x);
}

/* ---- fronts ---- */

void block_front_init(struct block_front *f, bool peak)
{
	*f = (struct block_front){0};
	front_init(&f->front, peak);
	front_init(&f->bound, peak);
}

void block_front_release(struct block_front *f)
{
	front_release(&f->front);
	front_release(&f->bound);
	free(f->unit);
	free(f->step);
	*f = (struct block_front){0};
}

/* Places whose points were covered since are given to others. */
static void compact(struct block_front *f, size_t units, size_t steps)
{
	uint16_t *unit = mem_new(f->front.n * units + 1, sizeof(*unit));
	uint8_t *step = mem_new(f->front.n * steps + 1, 1);

	for (uint32_t i = 0; i < f->front.n; i++) {
		uint32_t *place = &f->front.at[i].left;

		memcpy(unit + i * units, f->unit + *place * units, units * sizeof(*unit));
		memcpy(step + i * steps, f->step + *place * steps, steps);
		*place = i;
	}
	free(f->unit);
	free(f->step);
	f->unit = unit;
	f->step = step;
	f->n = f->cap = f->front.n;
}

bool block_front_add(struct block_front *f, const struct problem *pb, uint32_t b, const struct candidate *one)
{
	const struct prob_block *block = &pb->blocks[b];
	size_t units = block->n_slots,
	       steps = (size_t)(block->last - block->first + 1) * pb->machine->n_domains;

	if (front_covers(&f->front, &one->cost))
		return false;
	if (f->n == f->cap && f->n > 2 * f->front.n + 64)
		compact(f, units, steps);
	if (f->n == f->cap) {
		f->cap = 2 * f->cap + 64;
		f->unit = mem_resize(f->unit, f->cap * units + 1, sizeof(*f->unit));
		f->step = mem_resize(f->step, f->cap * steps + 1, 1);
	}
	memcpy(f->unit + f->n * units, one->unit, units * sizeof(*f->unit));
	memcpy(f->step + f->n * steps, one->step, steps);
	front_add(&f->front, &(struct front_point){one->cost, f->n++, 0});
	front_add(&f->bound, &(struct front_point){.cost = one->cost});
	front_thin(&f->front, BLOCK_POINTS, false);
	front_thin(&f->bound, BLOCK_POINTS, true);
	return true;
}

void exact_front(const struct problem *pb, uint32_t b, const struct design *fixed, bool peak,
		 const struct exact_options *opts, struct scratch *s, struct block_front *out)
{
	struct exact_options both = *opts;
	struct candidates tally = {0};
	struct search x;

	block_front_init(out, peak);
	both.goal = (struct goal){.objective = PLAN_TIME};
	exact_start(&x, pb, b, &both, s);
	x.out = &tally;
	x.fronts = out;
	x.draws |= peak;
	search_init(&x);
	place_fixed(&x, fixed);
	prime(&x);
	/* From here on the goal is the one whose best is the bound of a placement: least energy. */
	both.goal.objective = PLAN_ENERGY;
	prime(&x);
	exact_descend(&x, 0);
	out->proven = !x.stopped && !x.inexact;
	out->evaluations = tally.evaluations;
	out->work = tally.work;
	if (!out->proven) {
		const struct front_point relaxed = {.cost = exact_relaxed(pb, b)};

		out->bound.n = 0;
		front_add(&out->bound, &relaxed);
	}
	search_release(&x);
}
