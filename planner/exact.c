/* SPDX-License-Identifier: MIT */
#include "planner/exact.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/symmetry.h"

/* Nodes between two questions whether to stop. */
#define ASK_EVERY 4096

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
	struct candidate now;
	uint32_t *member;        /* of seat k in phase i: member[i * n_seats + k], PROB_NONE */
	uint16_t *unit;          /* of heavy member j in phase i: unit[i * max_members + j] */
	uint64_t *load;          /* of phase i: load[i * n_units * n_steps + ...] */
	struct steps_rest *rest; /* of phase i before seat k: rest[k * n_phases + i] */
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
		c->at[i].unit = mem_new(block->n_seats + 1, sizeof(*c->at[i].unit));
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
	memcpy(to->unit, from->unit, block->n_seats * sizeof(*to->unit));
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
		for (uint32_t k = 0; k < x->block->n_seats; k++) {
			uint32_t *at = &x->member[(size_t)i * x->block->n_seats + k];

			*at = PROB_NONE;
			for (uint32_t j = 0; j < phase_of(x, i)->n_heavy; j++)
				if (phase_of(x, i)->members[j].seat == x->block->seats[k])
					*at = j;
		}
}

static void fill_rest(struct search *x)
{
	const struct machine *m = x->pb->machine;

	for (uint32_t k = x->block->n_seats; k-- > 0;)
		for (uint32_t i = 0; i < x->n_phases; i++) {
			struct steps_rest *r = &x->rest[(size_t)k * x->n_phases + i];
			uint32_t j = x->member[(size_t)i * x->block->n_seats + k];
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
			uint32_t seat = phase_of(x, i)->members[j].seat;

			if (x->pb->seats[seat].kind != SEAT_FIXED)
				continue;
			put_member(x, i, j, fixed->unit[seat], true);
			touched_add(&x->touched, x->pb->machine, fixed->unit[seat], 1);
		}
}

static void search_init(struct search *x)
{
	const struct machine *m = x->pb->machine;
	size_t seats = x->block->n_seats, loads = (size_t)m->n_units * m->n_steps;

	stepper_init(&x->st, x->pb);
	touched_init(&x->touched, m);
	x->member = mem_new(x->n_phases * seats + 1, sizeof(*x->member));
	x->unit = mem_new((size_t)x->n_phases * x->pb->max_members + 1, sizeof(*x->unit));
	x->load = mem_new(x->n_phases * loads, sizeof(*x->load));
	x->rest = mem_new((seats + 1) * x->n_phases, sizeof(*x->rest));
	x->now.unit = mem_new(seats + 1, sizeof(*x->now.unit));
	x->now.step = mem_new((size_t)x->n_phases * m->n_domains, 1);
	x->node_work = 1 + loads * x->n_phases / 16;
	x->leaf_work = 1 + loads * loads * x->n_phases / 256;
	fill_members(x);
	fill_rest(x);
}

static void search_release(struct search *x)
{
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

static void add_cost(struct cost *sum, const struct cost *c, uint64_t times)
{
	sum->time_ns += c->time_ns * times;
	sum->energy_pj += c->energy_pj * times;
}

/* The bound of everything below a node that has placed the first @k seats. */
static struct cost node_bound(const struct search *x, uint32_t k)
{
	struct cost sum = {0, 0};

	for (uint32_t i = 0; i < x->n_phases; i++) {
		struct cost c;

		steps_bound(x->pb, load_of(x, i), &x->rest[(size_t)k * x->n_phases + i], &c);
		add_cost(&sum, &c, phase_of(x, i)->repeats);
	}
	return sum;
}

static bool hopeless(const struct search *x, const struct cost *bound)
{
	const struct candidates *c = x->out;
	uint64_t primary = cost_primary(bound, &x->opts->goal);

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

/* What the placement at hand cannot be below, conflicts and all. */
static struct cost leaf_bound(struct search *x)
{
	struct cost sum = {0, 0}, c, floor;

	for (uint32_t i = 0; i < x->n_phases; i++) {
		const struct prob_phase *ph = phase_of(x, i);

		steps_separable(x->pb, ph, units_of(x, i), &x->opts->goal, &x->st, steps_of(x, i), &c);
		if (phase_conflicts(x->pb, ph, units_of(x, i))) {
			phase_floor(x->pb, ph, units_of(x, i), x->s, &floor);
			c.time_ns = floor.time_ns > c.time_ns ? floor.time_ns : c.time_ns;
			c.energy_pj += floor.energy_pj;
		}
		add_cost(&sum, &c, ph->repeats);
		x->out->evaluations++;
	}
	x->out->work += x->leaf_work;
	return sum;
}

static void leaf(struct search *x)
{
	struct cost sum = leaf_bound(x), c;
	uint64_t before = x->out->evaluations, primary;

	if (hopeless(x, &sum))
		return;
	sum = (struct cost){0, 0};
	for (uint32_t i = 0; i < x->n_phases; i++) {
		x->inexact |= !steps_best(x->pb, phase_of(x, i), units_of(x, i), &x->opts->goal, &x->st, x->s,
					  steps_of(x, i), &c, &x->out->evaluations);
		add_cost(&sum, &c, phase_of(x, i)->repeats);
	}
	x->out->work += x->leaf_work + (x->out->evaluations - before) * x->node_work;
	x->now.cost = sum;
	if (hopeless(x, &sum))
		return;
	candidates_add(x->out, x->pb, x->index, &x->opts->goal, &x->now);
	primary = cost_primary(&sum, &x->opts->goal);
	if (primary + x->opts->margin < x->limit)
		x->limit = primary + x->opts->margin;
}

static void put_seat(struct search *x, uint32_t k, uint32_t unit, bool add)
{
	for (uint32_t i = 0; i < x->n_phases; i++) {
		uint32_t j = x->member[(size_t)i * x->block->n_seats + k];

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

static void descend(struct search *x, uint32_t k)
{
	struct cost bound;

	if (k == x->block->n_seats) {
		leaf(x);
		return;
	}
	for (uint32_t unit = 0; unit < x->pb->machine->n_units; unit++) {
		if (!symmetry_canonical(&x->touched, x->pb->machine, unit))
			continue;
		if (out_of_budget(x))
			return;
		put_seat(x, k, unit, true);
		bound = node_bound(x, k + 1);
		if (!hopeless(x, &bound))
			descend(x, k + 1);
		put_seat(x, k, unit, false);
	}
}

/* ---- good placements to begin with, so that the bound cuts early ---- */

/* Each seat in turn to the unit that costs least so far, of the first @n_units units. */
static void greedy(struct search *x, uint32_t n_units)
{
	for (uint32_t k = 0; k < x->block->n_seats; k++) {
		struct cost best = {UINT64_MAX, UINT64_MAX}, c;
		uint32_t at = 0;

		for (uint32_t unit = 0; unit < n_units; unit++) {
			put_seat(x, k, unit, true);
			c = node_bound(x, k + 1);
			put_seat(x, k, unit, false);
			if (cost_compare(&c, &best, &x->opts->goal) < 0) {
				best = c;
				at = unit;
			}
		}
		put_seat(x, k, at, true);
	}
	leaf(x);
	for (uint32_t k = 0; k < x->block->n_seats; k++)
		put_seat(x, k, x->now.unit[k], false);
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
	struct cost sum = {0, 0}, c;
	struct stepper st;

	stepper_init(&st, pb);
	for (uint32_t p = pb->blocks[b].first; p <= pb->blocks[b].last; p++) {
		steps_relaxed(pb, &pb->phases[p], &st, &c);
		add_cost(&sum, &c, pb->phases[p].repeats);
	}
	stepper_release(&st);
	return sum;
}

void exact_search(const struct problem *pb, uint32_t b, const struct design *fixed,
		  const struct exact_options *opts, struct scratch *s, struct candidates *out)
{
	struct search x = {.pb = pb,
			   .block = &pb->blocks[b],
			   .index = b,
			   .n_phases = pb->blocks[b].last - pb->blocks[b].first + 1,
			   .opts = opts,
			   .s = s,
			   .out = out,
			   .limit = UINT64_MAX};

	candidates_init(out, pb, b, opts->keep);
	search_init(&x);
	place_fixed(&x, fixed);
	out->bound = exact_relaxed(pb, b);
	prime(&x);
	descend(&x, 0);
	out->proven = !x.stopped && !x.inexact;
	if (out->proven && out->n)
		out->bound = (struct cost){
			opts->goal.objective == PLAN_TIME ? out->at[0].cost.time_ns : out->bound.time_ns,
			opts->goal.objective == PLAN_ENERGY ? out->at[0].cost.energy_pj
							    : out->bound.energy_pj,
		};
	search_release(&x);
}
