/* SPDX-License-Identifier: MIT */
#include "planner/heuristic/path.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "planner/exact/symmetry.h"

#define MAX_STATES       16
#define MAX_PERMUTATIONS 1024

/* Bytes of designs copied, exchanges of cores looked at: about a second each. */
#define COPY_BUDGET     (1ull << 31)
#define EXCHANGE_BUDGET 200000000ull
#define COPIES          4 /* of each partial design that is kept, in a block */
#define LEAST_STATES    2u
#define LEAST_TRIED     4u

struct state {
	struct design design;
	struct cost cost;
	struct cost whole; /* with what the rest of the run is expected to cost */
};

struct states {
	struct state at[MAX_STATES + 1]; /* the best first; that behind the last allowed one is spare */
	uint32_t n, most;
};

struct path {
	const struct problem *pb;
	const struct candidates *blocks;
	const struct path_options *opts;
	struct scratch *s;
	struct permutations perms;
	struct evaluation ev;
	struct states now, next;
	struct design trial;
	uint8_t *step;   /* of one block, turned */
	uint32_t *place; /* a slot's place in its block's list */
	uint32_t tried;  /* candidates of a block, at most */
	uint64_t *evaluations;
};

static void states_init(struct states *s, const struct problem *pb, uint32_t most)
{
	s->most = most;
	for (uint32_t i = 0; i <= MAX_STATES; i++)
		design_init(&s->at[i].design, pb);
	s->n = 0;
}

static void states_release(struct states *s)
{
	for (uint32_t i = 0; i <= MAX_STATES; i++)
		design_release(&s->at[i].design);
}

static void path_keep(const struct path *x, struct states *s, const struct design *d, const struct cost *cost,
		      const struct cost *rest)
{
	struct state spare = s->at[s->most];
	struct cost whole = *cost;
	uint32_t at = s->n;

	if (rest)
		cost_add(&whole, rest, 1);
	while (at > 0 && cost_compare(&whole, &s->at[at - 1].whole, &x->opts->goal) < 0)
		at--;
	if (at == s->most || (at > 0 && !cost_compare(&whole, &s->at[at - 1].whole, &x->opts->goal) &&
			      design_same(d, &s->at[at - 1].design, x->pb)))
		return;
	design_copy(&spare.design, d, x->pb);
	spare.cost = *cost;
	spare.whole = whole;
	if (s->n == s->most)
		s->n--;
	s->at[s->most] = s->at[s->n];
	memmove(&s->at[at + 1], &s->at[at], (s->n - at) * sizeof(s->at[0]));
	s->at[at] = spare;
	s->n++;
}

/* ---- which exchange of cores needs the fewest changes ---- */

/* Moves of the block's slots and frequency changes into its first phase, pJ or ns. */
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

			if (a->before == PROB_NONE || x->pb->slots[a->before].first >= block->first ||
			    x->place[a->slot] == PROB_NONE)
				continue;
			ns = m->migrate[(size_t)design_unit(x->pb, d, a->before) * m->n_units +
					to[unit[x->place[a->slot]]]];
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
		uint32_t slot = ph->members[i].slot;
		bool alone = x->pb->slots[slot].first < block->first;

		for (uint32_t k = 0; k < block->n_slots && alone; k++)
			alone = m->units[to[c->unit[k]]].package !=
				m->units[design_unit(x->pb, d, slot)].package;
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
	struct cost sum = *before;
	const uint32_t first = x->pb->edge_at[block->first], last = x->pb->edge_at[block->last + 1];

	memset(x->ev.phase + block->first, 0, (block->last - block->first + 1) * sizeof(*x->ev.phase));
	memset(x->ev.edge + first, 0, (last - first) * sizeof(*x->ev.edge));
	x->ev.total = (struct cost){0};
	eval_range(x->pb, &x->trial, x->s, &x->ev, block->first, block->last);
	++*x->evaluations;
	cost_add(&sum, &x->ev.total, 1);
	path_keep(x, &x->next, &x->trial, &sum, x->opts->rest ? &x->opts->rest[b] : NULL);
}

/* Steps of the epochs that begin in the block: those of phase @like, or the ones before. */
static void set_steps(struct path *x, uint32_t b, const uint8_t *step)
{
	const struct prob_block *block = &x->pb->blocks[b];
	uint32_t n = x->pb->machine->n_domains;

	for (uint32_t p = block->first; p <= block->last; p++) {
		uint32_t epoch = x->pb->phases[p].epoch;
		uint8_t *to = x->trial.step + (size_t)epoch * n;

		if (x->pb->epochs[epoch] != p)
			continue;
		if (step)
			memcpy(to, step + (size_t)(p - block->first) * n, n);
		else if (epoch)
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
		uint32_t epoch = x->pb->phases[p].epoch;
		uint8_t *to = x->trial.step + (size_t)epoch * m->n_domains;

		if (x->pb->epochs[epoch] != p)
			continue;
		for (uint32_t d = 0; d < m->n_domains; d++) {
			bool busy = false;

			for (uint32_t k = 0; k < block->n_slots; k++)
				busy |= m->units[x->trial.unit[block->slots[k]]].domain == d;
			if (!busy)
				to[d] = epoch ? (to - m->n_domains)[d] : 0;
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

	for (uint32_t k = 0; k < block->n_slots; k++)
		x->trial.unit[block->slots[k]] = to[c->unit[k]];
	if (!x->opts->own_steps) {
		set_steps(x, b, NULL);
		try_trial(x, b, &from->cost);
	}
	turn_steps(x, b, c, to);
	set_steps(x, b, x->step);
	try_trial(x, b, &from->cost);
	set_busy_steps(x, b);
	try_trial(x, b, &from->cost);
}

static void walk_block(struct path *x, uint32_t b)
{
	struct states swap;

	x->next.n = 0;
	for (uint32_t i = 0; i < x->pb->n_slots; i++)
		x->place[i] = PROB_NONE;
	for (uint32_t k = 0; k < x->pb->blocks[b].n_slots; k++)
		x->place[x->pb->blocks[b].slots[k]] = k;
	for (uint32_t i = 0; i < x->now.n; i++) {
		/* Trials differ in what belongs to the block only. */
		design_copy(&x->trial, &x->now.at[i].design, x->pb);
		for (uint32_t k = 0; k < x->blocks[b].n && k < x->tried; k++)
			expand(x, b, &x->now.at[i], &x->blocks[b].at[k]);
		if (!x->blocks[b].n)
			try_trial(x, b, &x->now.at[i].cost);
	}
	swap = x->now;
	x->now = x->next;
	x->next = swap;
}

/* How many partial designs are kept, how many candidates tried, in a run so long. */
static uint32_t few_states(const struct problem *pb)
{
	uint64_t size = pb->n_slots * sizeof(uint16_t) + (uint64_t)pb->n_epochs * pb->machine->n_domains;
	uint64_t n = COPY_BUDGET / COPIES / (size * pb->n_blocks + 1);

	return n < LEAST_STATES ? LEAST_STATES : n < MAX_STATES ? (uint32_t)n : MAX_STATES;
}

static uint32_t few_candidates(const struct path *x)
{
	uint64_t n = EXCHANGE_BUDGET / ((uint64_t)x->pb->n_blocks * x->now.most * (x->perms.n + 3) + 1);

	return n < LEAST_TRIED ? LEAST_TRIED : n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void path_walk(struct path *x)
{
	for (uint32_t b = 0; b < x->pb->n_blocks; b++) {
		if (x->tried > 1 && x->opts->stop && x->opts->stop(x->opts->ctx)) {
			x->tried = 1;
			x->now.n = 1;
		}
		walk_block(x, b);
		if (x->tried == 1)
			x->now.n = 1;
	}
}

void path_search(const struct problem *pb, const struct candidates *blocks, const struct design *start,
		 const struct path_options *opts, struct scratch *s, struct design *out,
		 uint64_t *evaluations)
{
	struct path x = {.pb = pb, .blocks = blocks, .opts = opts, .s = s, .evaluations = evaluations};

	permutations_init(&x.perms, pb->machine, MAX_PERMUTATIONS);
	evaluation_init(&x.ev, pb, true);
	states_init(&x.now, pb, few_states(pb));
	states_init(&x.next, pb, x.now.most);
	x.tried = few_candidates(&x);
	design_init(&x.trial, pb);
	x.step = mem_new((size_t)pb->n_phases * pb->machine->n_domains, 1);
	x.place = mem_new(pb->n_slots + 1, sizeof(*x.place));
	path_keep(&x, &x.now, start, &(struct cost){0}, NULL);
	path_walk(&x);
	design_copy(out, &x.now.at[0].design, pb);
	free(x.step);
	free(x.place);
	design_release(&x.trial);
	states_release(&x.next);
	states_release(&x.now);
	evaluation_release(&x.ev);
	permutations_release(&x.perms);
}
