/* SPDX-License-Identifier: MIT */
#include "planner/heuristic/pack.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* Rounds of exchanges in a phase; more are not needed, but the end must be certain. */
#define MAX_ROUNDS 50

enum part { PART_NONE, PART_SHORT, PART_LONG }; /* of the block: in one of its phases, in several */

void packer_init(struct packer *x, const struct problem *pb, const struct goal *goal, const struct scratch *s)
{
	*x = (struct packer){.pb = pb, .goal = *goal};
	x->goal.deadline_ns = 0;
	live_init(&x->live, pb, s);
	x->part = mem_new(pb->n_slots + 1, sizeof(*x->part));
	x->placed = mem_new(pb->n_slots + 1, sizeof(*x->placed));
	x->load = mem_new(pb->machine->n_units, sizeof(*x->load));
}

void packer_release(struct packer *x)
{
	live_release(&x->live);
	free(x->part);
	free(x->placed);
	free(x->load);
	*x = (struct packer){0};
}

/* ---- which ways are worth trying ---- */

/* A phase on full packages: as long as its longest member, or as its work fills the units. */
static struct cost estimate(const struct machine *m, const struct prob_phase *ph, const struct pack *way)
{
	uint64_t sum = 0, longest = 0, f = way->step, mw = 0;

	for (uint32_t i = 0; i < ph->n_heavy; i++) {
		uint64_t w = ph->work_ns[(size_t)i * m->n_steps + f];

		sum += w;
		longest = w > longest ? w : longest;
	}
	sum = (sum + way->n_units - 1) / way->n_units;
	longest = sum > longest ? sum : longest;
	for (uint32_t k = 0; k < m->n_packages; k++)
		mw += m->packages[k].first < way->n_units
			      ? (m->packages[k].last - m->packages[k].first) * m->idle_mw[f]
			      : m->packages[k].halt_mw;
	sum *= way->n_units;
	return (struct cost){.time_ns = longest,
			     .energy_pj = mw * longest + (m->busy_mw[f] - m->idle_mw[f]) * sum,
			     .peak_mw = mw + (m->busy_mw[f] - m->idle_mw[f]) * way->n_units};
}

static uint32_t insert(const struct packer *x, struct pack list[PACK_LIST], uint32_t n,
		       const struct pack *way)
{
	uint32_t at = n;

	while (at > 0 && cost_compare(&way->cost, &list[at - 1].cost, &x->goal) < 0)
		at--;
	if (at == PACK_LIST)
		return n;
	n = n < PACK_LIST ? n + 1 : n;
	memmove(&list[at + 1], &list[at], (n - 1 - at) * sizeof(*list));
	list[at] = *way;
	return n;
}

uint32_t pack_list(const struct packer *x, uint32_t b, struct pack list[PACK_LIST])
{
	const struct machine *m = x->pb->machine;
	uint32_t n = 0;

	for (uint32_t k = 0; k < m->n_packages; k++)
		for (uint32_t f = 0; f < m->n_steps; f++) {
			struct pack way = {.n_units = m->packages[k].last, .step = (uint8_t)f};

			for (uint32_t p = x->pb->blocks[b].first; p <= x->pb->blocks[b].last; p++) {
				struct cost c = estimate(m, &x->pb->phases[p], &way);

				cost_add(&way.cost, &c, x->pb->phases[p].repeats);
			}
			n = insert(x, list, n, &way);
		}
	return n;
}

/* ---- dealing ---- */

static uint64_t work_at(const struct packer *x, const struct live_spot *spot, uint8_t step)
{
	return x->pb->phases[spot->phase].work_ns[(size_t)spot->member * x->pb->machine->n_steps + step];
}

/* The slot's work in phases [first, last]. */
static uint64_t slot_work(const struct packer *x, uint32_t slot, uint32_t first, uint32_t last, uint8_t step)
{
	uint64_t sum = 0;

	for (uint32_t i = x->live.spot_at[slot]; i < x->live.spot_at[slot + 1]; i++)
		if (x->live.spots[i].phase >= first && x->live.spots[i].phase <= last)
			sum += work_at(x, &x->live.spots[i], step);
	return sum;
}

/* The unit with the least work, of group @group if that is one. */
static uint16_t least_loaded(const struct packer *x, uint32_t n_units, uint32_t group)
{
	uint32_t best = PROB_NONE;

	for (uint32_t u = 0; u < n_units; u++)
		if ((group == PROB_NONE || x->pb->machine->units[u].group == group) &&
		    (best == PROB_NONE || x->load[u] < x->load[best]))
			best = u;
	return best == PROB_NONE ? least_loaded(x, n_units, PROB_NONE) : (uint16_t)best;
}

/* Another side of a conflict with member @i that is @placed or not, PROB_NONE. */
static uint32_t partner_of(const struct packer *x, uint32_t p, uint32_t i, bool placed)
{
	const struct live_phase *lp = &x->live.phase[p];

	for (uint32_t k = lp->conflict_at[i]; k < lp->conflict_at[i + 1]; k++) {
		const struct prob_conflict *c = &lp->ph->conflicts[lp->conflict[k]];
		uint32_t other = c->a == i ? c->b : c->a;

		if (x->placed[lp->ph->members[other].slot] == placed)
			return other;
	}
	return PROB_NONE;
}

/* Deal member @i of phase @p, and after it those that share lines with it. */
static void pack_deal(struct packer *x, uint32_t p, uint32_t i, enum part part, uint32_t last,
		      const struct pack *way, struct design *d)
{
	const struct prob_phase *ph = &x->pb->phases[p];

	while (i != PROB_NONE) {
		uint32_t slot = ph->members[i].slot, partner = partner_of(x, p, i, true), group = PROB_NONE;
		uint16_t unit;

		if (x->part[slot] != part || x->placed[slot])
			return;
		if (partner != PROB_NONE)
			group = x->pb->machine->units[d->unit[ph->members[partner].slot]].group;
		unit = least_loaded(x, way->n_units, group);
		d->unit[slot] = unit;
		x->placed[slot] = true;
		x->load[unit] += slot_work(x, slot, p, last, way->step);
		i = partner_of(x, p, i, false);
	}
}

static void deal_long(struct packer *x, const struct prob_block *block, const struct pack *way,
		      struct design *d)
{
	memset(x->load, 0, x->pb->machine->n_units * sizeof(*x->load));
	for (uint32_t k = 0; k < block->n_slots; k++)
		for (uint32_t i = x->live.spot_at[block->slots[k]]; i < x->live.spot_at[block->slots[k] + 1];
		     i++)
			pack_deal(x, x->live.spots[i].phase, x->live.spots[i].member, PART_LONG, block->last,
				  way, d);
}

static void deal_phase(struct packer *x, uint32_t p, const struct pack *way, struct design *d)
{
	const struct prob_phase *ph = &x->pb->phases[p];

	memset(x->load, 0, x->pb->machine->n_units * sizeof(*x->load));
	for (uint32_t i = 0; i < ph->n_heavy; i++)
		if (x->part[ph->members[i].slot] != PART_SHORT)
			x->load[design_unit(x->pb, d, ph->members[i].slot)] +=
				work_at(x, &(struct live_spot){p, i}, way->step);
	for (uint32_t i = 0; i < ph->n_heavy; i++)
		pack_deal(x, p, i, PART_SHORT, p, way, d);
}

/* ---- exchanging ---- */

struct exchange {
	struct packer *x;
	uint32_t p;
	const uint8_t *step;
	struct design *d;
	struct live_phase *lp;
	bool better;
};

static struct cost cost_of(const struct exchange *e)
{
	const struct phase_cost *c = &e->x->live.cost[e->p];

	return (struct cost){.time_ns = c->time_ns, .energy_pj = c->energy_pj, .peak_mw = c->draw_mw};
}

static uint64_t longer(const struct exchange *e, uint32_t u, uint32_t v)
{
	return e->lp->load[u] > e->lp->load[v] ? e->lp->load[u] : e->lp->load[v];
}

static void pack_put(struct exchange *e, uint32_t i, uint16_t unit)
{
	live_move(&e->x->live, e->p, i, unit, e->step);
	e->d->unit[e->lp->ph->members[i].slot] = unit;
}

static bool has_conflicts(const struct exchange *e, uint32_t i)
{
	return e->lp->conflict_at[i] != e->lp->conflict_at[i + 1];
}

/* Member @i to @to, and @j (if it is one) to where @i was, if that is better, or as good and more even. */
static void try_exchange(struct exchange *e, uint32_t i, uint32_t j, uint16_t to)
{
	uint16_t from = e->lp->unit[i];
	uint64_t away = e->lp->work[i], back = j == PROB_NONE ? 0 : e->lp->work[j];
	uint64_t before = longer(e, from, to), u = e->lp->load[from] - away + back;
	uint64_t v = e->lp->load[to] - back + away;
	struct cost old = cost_of(e), now;
	int c;

	if (from == to)
		return;
	if ((u > v ? u : v) >= before && !has_conflicts(e, i) && (j == PROB_NONE || !has_conflicts(e, j)))
		return;
	pack_put(e, i, to);
	if (j != PROB_NONE)
		pack_put(e, j, from);
	now = cost_of(e);
	c = cost_compare(&now, &old, &e->x->goal);
	if (c < 0 || (c == 0 && longer(e, from, to) < before)) {
		e->better = true;
		return;
	}
	pack_put(e, i, from);
	if (j != PROB_NONE)
		pack_put(e, j, to);
}

static bool is_mine(const struct exchange *e, uint32_t i)
{
	return e->x->part[e->lp->ph->members[i].slot] == PART_SHORT;
}

static void exchange_all(struct exchange *e, uint32_t n_units)
{
	for (uint32_t i = 0; i < e->lp->ph->n_heavy; i++) {
		if (!is_mine(e, i))
			continue;
		for (uint32_t u = 0; u < n_units; u++)
			try_exchange(e, i, PROB_NONE, (uint16_t)u);
		for (uint32_t j = i + 1; j < e->lp->ph->n_heavy; j++)
			if (is_mine(e, j))
				try_exchange(e, i, j, e->lp->unit[j]);
	}
}

static void even_out(struct packer *x, uint32_t p, const struct pack *way, struct design *d)
{
	struct exchange e = {
		.x = x, .p = p, .step = design_steps(x->pb, d, p), .d = d, .lp = &x->live.phase[p]};

	live_build(&x->live, d, p);
	for (uint32_t round = 0; round < MAX_ROUNDS; round++) {
		e.better = false;
		exchange_all(&e, way->n_units);
		if (!e.better)
			break;
	}
}

/* ---- a block ---- */

/* Who is to be placed; the others stand. */
static void divide(struct packer *x, const struct prob_block *block)
{
	memset(x->part, PART_NONE, x->pb->n_slots * sizeof(*x->part));
	memset(x->placed, true, x->pb->n_slots * sizeof(*x->placed));
	for (uint32_t k = 0; k < block->n_slots; k++) {
		const struct prob_slot *s = &x->pb->slots[block->slots[k]];

		x->part[block->slots[k]] = s->first == s->last ? PART_SHORT : PART_LONG;
		x->placed[block->slots[k]] = false;
	}
}

uint64_t pack_make(struct packer *x, uint32_t b, const struct pack *way, struct design *d)
{
	const struct prob_block *block = &x->pb->blocks[b];
	uint32_t n = x->pb->machine->n_domains;
	uint64_t before = x->live.moves + x->live.builds;

	divide(x, block);
	for (uint32_t p = block->first; p <= block->last; p++)
		if (x->pb->epochs[x->pb->phases[p].epoch] == p)
			memset(d->step + (size_t)x->pb->phases[p].epoch * n, way->step, n);
	deal_long(x, block, way, d);
	for (uint32_t p = block->first; p <= block->last; p++) {
		deal_phase(x, p, way, d);
		even_out(x, p, way, d);
	}
	return x->live.moves + x->live.builds - before;
}
