/* SPDX-License-Identifier: MIT */
#include "planner/path.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/symmetry.h"

#define MAX_STATES       16
#define MAX_PERMUTATIONS 1024

struct state {
	struct design design;
	struct cost cost;
};

struct states {
	struct state at[MAX_STATES + 1]; /* the best first; the last one is spare */
	uint32_t n;
};

struct path {
	const struct problem *pb;
	const struct candidates *blocks;
	const struct goal *goal;
	struct scratch *s;
	struct permutations perms;
	struct evaluation ev;
	struct states now, next;
	struct design trial;
	uint8_t *step;  /* of one block, turned */
	uint32_t *slot; /* a seat's place in its block's list */
	uint64_t *evaluations;
};

static void states_init(struct states *s, const struct problem *pb)
{
	for (uint32_t i = 0; i <= MAX_STATES; i++)
		design_init(&s->at[i].design, pb);
	s->n = 0;
}

static void states_release(struct states *s)
{
	for (uint32_t i = 0; i <= MAX_STATES; i++)
		design_release(&s->at[i].design);
}

static bool same_design(const struct problem *pb, const struct design *a, const struct design *b)
{
	return !memcmp(a->unit, b->unit, pb->n_seats * sizeof(*a->unit)) &&
	       !memcmp(a->step, b->step, (size_t)pb->n_eras * pb->machine->n_domains);
}

static void keep(const struct path *x, struct states *s, const struct design *d, const struct cost *cost)
{
	struct state spare = s->at[MAX_STATES];
	uint32_t at = s->n;

	while (at > 0 && cost_compare(cost, &s->at[at - 1].cost, x->goal) < 0)
		at--;
	if (at == MAX_STATES || (at > 0 && same_design(x->pb, d, &s->at[at - 1].design)))
		return;
	design_copy(&spare.design, d, x->pb);
	spare.cost = *cost;
	if (s->n == MAX_STATES)
		s->n--;
	s->at[MAX_STATES] = s->at[s->n];
	memmove(&s->at[at + 1], &s->at[at], (s->n - at) * sizeof(s->at[0]));
	s->at[at] = spare;
	s->n++;
}

/* ---- which exchange of cores needs the fewest changes ---- */

/* Moves of the block's seats and frequency changes into its first phase, pJ or ns. */
static uint64_t move_cost(const struct path *x, uint32_t b, const struct design *d, const uint16_t *unit,
			  const uint16_t *to)
{
	const struct machine *m = x->pb->machine;
	const struct prob_block *block = &x->pb->blocks[b];
	uint64_t longest = 0;

	for (uint32_t e = x->pb->edge_at[block->first]; e < x->pb->edge_at[block->last + 1]; e++)
		for (uint32_t i = 0; i < x->pb->edges[e].n_arrivals; i++) {
			const struct prob_arrival *a = &x->pb->edges[e].arrivals[i];
			uint64_t ns;

			if (a->before == PROB_NONE || x->pb->seats[a->before].first >= block->first ||
			    x->slot[a->seat] == PROB_NONE)
				continue;
			ns = m->migrate[(size_t)design_unit(x->pb, d, a->before) * m->n_units +
					to[unit[x->slot[a->seat]]]];
			longest = ns > longest ? ns : longest;
		}
	return longest;
}

/* Frequency changes, and light members that would wake a package for themselves. */
static uint64_t side_cost(const struct path *x, uint32_t b, const struct design *d, const struct candidate *c,
			  const uint16_t *to)
{
	const struct machine *m = x->pb->machine;
	const struct prob_block *block = &x->pb->blocks[b];
	const struct prob_phase *ph = &x->pb->phases[block->first];
	uint64_t ns = 0;

	for (uint32_t u = 0; block->first && u < m->n_units; u++) {
		const uint8_t *before = design_steps(x->pb, d, block->first - 1);

		if (before[m->units[to[u]].domain] != c->step[m->units[u].domain])
			ns += m->platform->frequency_ns;
	}
	for (uint32_t i = ph->n_heavy; i < ph->n_members; i++) {
		uint32_t seat = ph->members[i].seat;
		bool alone = x->pb->seats[seat].first < block->first;

		for (uint32_t k = 0; k < block->n_seats && alone; k++)
			alone = m->units[to[c->unit[k]]].package !=
				m->units[design_unit(x->pb, d, seat)].package;
		if (alone)
			ns += ph->work_ns[(size_t)i * m->n_steps];
	}
	return ns;
}

static const uint16_t *best_exchange(const struct path *x, uint32_t b, const struct design *d,
				     const struct candidate *c)
{
	const uint16_t *best = x->perms.to;
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < x->perms.n; i++) {
		const uint16_t *to = x->perms.to + (size_t)i * x->pb->machine->n_units;
		uint64_t ns = move_cost(x, b, d, c->unit, to);

		if (ns < least)
			ns += side_cost(x, b, d, c, to);
		if (ns < least) {
			least = ns;
			best = to;
		}
		if (!least)
			break;
	}
	return best;
}

/* ---- one block ---- */

static void try_trial(struct path *x, uint32_t b, const struct cost *before)
{
	const struct prob_block *block = &x->pb->blocks[b];
	struct cost sum;

	memset(x->ev.phase, 0, x->pb->n_phases * sizeof(*x->ev.phase));
	memset(x->ev.edge, 0, x->pb->n_edges * sizeof(*x->ev.edge));
	x->ev.total = (struct cost){0, 0};
	eval_range(x->pb, &x->trial, x->s, &x->ev, block->first, block->last);
	++*x->evaluations;
	sum = (struct cost){before->time_ns + x->ev.total.time_ns, before->energy_pj + x->ev.total.energy_pj};
	keep(x, &x->next, &x->trial, &sum);
}

/* Steps of the eras that begin in the block: those of phase @like, or the ones before. */
static void set_steps(struct path *x, uint32_t b, const uint8_t *step)
{
	const struct prob_block *block = &x->pb->blocks[b];
	uint32_t n = x->pb->machine->n_domains;

	for (uint32_t p = block->first; p <= block->last; p++) {
		uint32_t era = x->pb->phases[p].era;
		uint8_t *to = x->trial.step + (size_t)era * n;

		if (x->pb->eras[era] != p)
			continue;
		if (step)
			memcpy(to, step + (size_t)(p - block->first) * n, n);
		else if (era)
			memcpy(to, to - n, n);
		else
			memset(to, 0, n);
	}
}

/* Keep the present step of domains that have no work in the block. */
static void set_busy_steps(struct path *x, uint32_t b)
{
	const struct prob_block *block = &x->pb->blocks[b];
	const struct machine *m = x->pb->machine;

	for (uint32_t p = block->first; p <= block->last; p++) {
		uint32_t era = x->pb->phases[p].era;
		uint8_t *to = x->trial.step + (size_t)era * m->n_domains;

		if (x->pb->eras[era] != p)
			continue;
		for (uint32_t d = 0; d < m->n_domains; d++) {
			bool busy = false;

			for (uint32_t k = 0; k < block->n_seats; k++)
				busy |= m->units[x->trial.unit[block->seats[k]]].domain == d;
			if (!busy)
				to[d] = era ? (to - m->n_domains)[d] : 0;
		}
	}
}

static void turn_steps(struct path *x, uint32_t b, const struct candidate *c, const uint16_t *to)
{
	const struct machine *m = x->pb->machine;
	uint32_t phases = x->pb->blocks[b].last - x->pb->blocks[b].first + 1;

	for (uint32_t i = 0; i < phases; i++)
		for (uint32_t u = 0; u < m->n_units; u++)
			x->step[(size_t)i * m->n_domains + m->units[to[u]].domain] =
				c->step[(size_t)i * m->n_domains + m->units[u].domain];
}

static void expand(struct path *x, uint32_t b, const struct state *from, const struct candidate *c)
{
	const struct prob_block *block = &x->pb->blocks[b];
	const uint16_t *to = best_exchange(x, b, &from->design, c);

	design_copy(&x->trial, &from->design, x->pb);
	for (uint32_t k = 0; k < block->n_seats; k++)
		x->trial.unit[block->seats[k]] = to[c->unit[k]];
	set_steps(x, b, NULL);
	try_trial(x, b, &from->cost);
	turn_steps(x, b, c, to);
	set_steps(x, b, x->step);
	try_trial(x, b, &from->cost);
	set_busy_steps(x, b);
	try_trial(x, b, &from->cost);
}

static void walk_block(struct path *x, uint32_t b)
{
	x->next.n = 0;
	for (uint32_t i = 0; i < x->pb->n_seats; i++)
		x->slot[i] = PROB_NONE;
	for (uint32_t k = 0; k < x->pb->blocks[b].n_seats; k++)
		x->slot[x->pb->blocks[b].seats[k]] = k;
	for (uint32_t i = 0; i < x->now.n; i++) {
		for (uint32_t k = 0; k < x->blocks[b].n; k++)
			expand(x, b, &x->now.at[i], &x->blocks[b].at[k]);
		if (!x->blocks[b].n) {
			design_copy(&x->trial, &x->now.at[i].design, x->pb);
			try_trial(x, b, &x->now.at[i].cost);
		}
	}
	for (uint32_t i = 0; i < x->next.n; i++) {
		design_copy(&x->now.at[i].design, &x->next.at[i].design, x->pb);
		x->now.at[i].cost = x->next.at[i].cost;
	}
	x->now.n = x->next.n;
}

void path_search(const struct problem *pb, const struct candidates *blocks, const struct design *start,
		 const struct goal *goal, struct scratch *s, struct design *out, uint64_t *evaluations)
{
	struct path x = {.pb = pb, .blocks = blocks, .goal = goal, .s = s, .evaluations = evaluations};

	permutations_init(&x.perms, pb->machine, MAX_PERMUTATIONS);
	evaluation_init(&x.ev, pb, true);
	states_init(&x.now, pb);
	states_init(&x.next, pb);
	design_init(&x.trial, pb);
	x.step = mem_new((size_t)pb->n_phases * pb->machine->n_domains, 1);
	x.slot = mem_new(pb->n_seats + 1, sizeof(*x.slot));
	keep(&x, &x.now, start, &(struct cost){0, 0});
	for (uint32_t b = 0; b < pb->n_blocks; b++)
		walk_block(&x, b);
	design_copy(out, &x.now.at[0].design, pb);
	free(x.step);
	free(x.slot);
	design_release(&x.trial);
	states_release(&x.next);
	states_release(&x.now);
	evaluation_release(&x.ev);
	permutations_release(&x.perms);
}
