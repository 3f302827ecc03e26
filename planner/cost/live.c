/* SPDX-License-Identifier: MIT */
#include "planner/cost/live.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* ---- space ---- */

static size_t sum_members(const struct problem *pb)
{
	size_t n = 0;

	for (uint32_t p = 0; p < pb->n_phases; p++)
		n += pb->phases[p].n_members;
	return n;
}

static size_t sum_conflicts(const struct problem *pb)
{
	size_t n = 0;

	for (uint32_t p = 0; p < pb->n_phases; p++)
		n += pb->phases[p].n_conflicts;
	return n;
}

static void *space(struct live *l, uint32_t i, size_t n, size_t size)
{
	l->space[i] = mem_new(n + 1, size);
	return l->space[i];
}

static void slice(struct live *l)
{
	const struct problem *pb = l->pb;
	size_t members = sum_members(pb), conflicts = sum_conflicts(pb);
	size_t units = (size_t)pb->n_phases * pb->machine->n_units;
	struct live_phase at = {
		.unit = space(l, 0, members, sizeof(*at.unit)),
		.next = space(l, 1, members, sizeof(*at.next)),
		.head = space(l, 2, units, sizeof(*at.head)),
		.work = space(l, 3, members, sizeof(*at.work)),
		.load = space(l, 4, units, sizeof(*at.load)),
		.package = space(l, 5, (size_t)pb->n_phases * pb->machine->n_packages, sizeof(*at.package)),
		.paid = space(l, 6, 2 * conflicts, sizeof(*at.paid)),
		.conflict = space(l, 7, 2 * conflicts, sizeof(*at.conflict)),
		.conflict_at = space(l, 8, members + pb->n_phases, sizeof(*at.conflict_at)),
	};

	for (uint32_t p = 0; p < pb->n_phases; p++) {
		const struct prob_phase *ph = &pb->phases[p];

		at.ph = ph;
		l->phase[p] = at;
		at.unit += ph->n_members;
		at.next += ph->n_members;
		at.work += ph->n_members;
		at.head += pb->machine->n_units;
		at.load += pb->machine->n_units;
		at.package += pb->machine->n_packages;
		at.paid += 2 * (size_t)ph->n_conflicts;
		at.conflict += 2 * (size_t)ph->n_conflicts;
		at.conflict_at += ph->n_members + 1;
	}
}

static void list_conflicts(struct live_phase *lp)
{
	const struct prob_phase *ph = lp->ph;
	uint32_t n = 0;

	for (uint32_t i = 0; i < ph->n_conflicts; i++) {
		lp->conflict_at[ph->conflicts[i].a]++;
		lp->conflict_at[ph->conflicts[i].b]++;
	}
	for (uint32_t i = 0; i < ph->n_members; i++) {
		n += lp->conflict_at[i];
		lp->conflict_at[i] = n;
	}
	lp->conflict_at[ph->n_members] = n;
	for (uint32_t i = ph->n_conflicts; i-- > 0;) {
		lp->conflict[--lp->conflict_at[ph->conflicts[i].b]] = i;
		lp->conflict[--lp->conflict_at[ph->conflicts[i].a]] = i;
	}
}

static uint32_t live_slot_of(const struct problem *pb, const struct live_spot *spot)
{
	uint32_t slot = pb->phases[spot->phase].members[spot->member].slot;

	return pb->slots[slot].follow == PROB_NONE ? slot : pb->slots[slot].follow;
}

static void list_spots(struct live *l)
{
	const struct problem *pb = l->pb;
	uint32_t n = 0;

	l->spots = mem_new(sum_members(pb) + 1, sizeof(*l->spots));
	l->spot_at = mem_new(pb->n_slots + 1, sizeof(*l->spot_at));
	for (uint32_t p = 0; p < pb->n_phases; p++)
		for (uint32_t i = 0; i < pb->phases[p].n_members; i++)
			l->spot_at[live_slot_of(pb, &(struct live_spot){p, i})]++;
	for (uint32_t s = 0; s <= pb->n_slots; s++) {
		n += l->spot_at[s];
		l->spot_at[s] = n;
	}
	for (uint32_t p = pb->n_phases; p-- > 0;)
		for (uint32_t i = pb->phases[p].n_members; i-- > 0;) {
			struct live_spot spot = {p, i};

			l->spots[--l->spot_at[live_slot_of(pb, &spot)]] = spot;
		}
}

void live_init(struct live *l, const struct problem *pb, const struct scratch *s)
{
	*l = (struct live){.pb = pb, .s = s};
	l->phase = mem_new(pb->n_phases, sizeof(*l->phase));
	l->cost = mem_new(pb->n_phases, sizeof(*l->cost));
	slice(l);
	list_spots(l);
	for (uint32_t p = 0; p < pb->n_phases; p++)
		list_conflicts(&l->phase[p]);
	l->lifted = mem_new(pb->max_conflicts + 1, sizeof(*l->lifted));
	l->is_lifted = mem_new(pb->max_conflicts + 1, sizeof(*l->is_lifted));
	l->meetings = mem_new(pb->max_conflicts + 1, sizeof(*l->meetings));
	meet_room_init(&l->room, pb);
	if (!pb->max_users)
		return;
	l->until = mem_new(pb->machine->n_units, sizeof(*l->until));
	l->turns = mem_new(pb->max_users, sizeof(*l->turns));
}

void live_release(struct live *l)
{
	for (size_t i = 0; i < sizeof(l->space) / sizeof(l->space[0]); i++)
		free(l->space[i]);
	free(l->phase);
	free(l->cost);
	free(l->spots);
	free(l->spot_at);
	free(l->lifted);
	free(l->is_lifted);
	free(l->meetings);
	meet_room_release(&l->room);
	free(l->until);
	free(l->turns);
	*l = (struct live){0};
}

/* ---- loads ---- */

/* Add @ns to a unit; negative numbers as their complement. */
static void add_load(const struct machine *m, struct live_phase *lp, uint32_t u, uint64_t ns,
		     const uint8_t *step)
{
	struct live_package *pkg = &lp->package[m->units[u].package];
	uint32_t f = step[m->units[u].domain];
	uint64_t above = m->busy_mw[f] - m->idle_mw[f], before = lp->load[u], now = before + ns;

	lp->load[u] = now;
	pkg->above_pj += above * ns;
	if (!before != !now) {
		pkg->above_mw += now ? above : 0 - above;
		pkg->n_busy += now ? 1 : 0xffffffffu;
	}
	if (now >= pkg->longest)
		pkg->longest = now;
	else if (before == pkg->longest)
		pkg->stale = true;
}

static void find_longest(const struct machine_package *pkg, struct live_phase *lp, struct live_package *at)
{
	at->longest = 0;
	at->stale = false;
	for (uint32_t u = pkg->first; u < pkg->last; u++)
		at->longest = lp->load[u] > at->longest ? lp->load[u] : at->longest;
}

/* As phase_eval() has it: packages are awake for those who wait for locks. */
static uint64_t add_waits(struct live *l, struct live_phase *lp, const uint8_t *step)
{
	const struct machine *m = l->pb->machine;
	uint64_t time = 0, last;

	memcpy(l->until, lp->load, m->n_units * sizeof(*l->until));
	locks_raise(m, lp->ph, lp->ph->n_members, lp->unit, step, l->turns, l->until);
	for (uint32_t k = 0; k < m->n_packages; k++) {
		lp->package[k].longest = locks_awake(m, k, lp->load, l->until, &last);
		time = last > time ? last : time;
	}
	return time;
}

/* Time, energy and draw of the phase from its packages. */
static void sum_up(struct live *l, struct live_phase *lp, const uint8_t *step, struct phase_cost *cost)
{
	const struct machine *m = l->pb->machine;
	uint64_t time = 0, energy = 0, draw = 0;

	if (lp->ph->n_locks)
		time = add_waits(l, lp, step);
	for (uint32_t k = 0; k < m->n_packages && !lp->ph->n_locks; k++) {
		if (lp->package[k].stale)
			find_longest(&m->packages[k], lp, &lp->package[k]);
		time = lp->package[k].longest > time ? lp->package[k].longest : time;
	}
	for (uint32_t k = 0; k < m->n_packages; k++) {
		const struct machine_package *pkg = &m->packages[k];
		const struct live_package *at = &lp->package[k];
		uint64_t awake = pkg->halts ? at->longest : time;

		energy += pkg->halt_mw * (time - awake) + at->above_pj + at->idle_mw * awake;
		draw += pkg->halts && !at->longest ? pkg->halt_mw : at->idle_mw + at->above_mw;
	}
	*cost = (struct phase_cost){.time_ns = time, .energy_pj = energy, .draw_mw = draw};
}

/* ---- conflicts ---- */

/* Time until member @i is through, of the first @n members. */
static uint64_t through(const struct live_phase *lp, uint32_t n, uint32_t i)
{
	uint64_t sum = 0;

	for (uint32_t j = lp->head[lp->unit[i]]; j != PROB_NONE; j = lp->next[j])
		if (j < n)
			sum += lp->work[j] < lp->work[i] ? lp->work[j] : lp->work[i];
	return sum;
}

/* Do the sides of conflict @i meet?  Then they are in the room. */
static bool enter(struct live *l, struct live_phase *lp, uint32_t i, struct meeting *m)
{
	const struct prob_conflict *c = &lp->ph->conflicts[i];
	uint32_t n = i < lp->ph->n_heavy_conflicts ? lp->ph->n_heavy : lp->ph->n_members;

	*m = (struct meeting){.c = c, .ua = lp->unit[c->a], .ub = lp->unit[c->b]};
	m->distance = l->pb->machine->distance[(size_t)m->ua * l->pb->machine->n_units + m->ub];
	if (m->ua == m->ub || !(c->extra_a[m->distance] | c->extra_b[m->distance]))
		return false;
	meet_enter(&l->room, m, lp->work, through(lp, n, c->a), through(lp, n, c->b));
	return true;
}

/* Take out what the conflicts of all who sit on @unit cost. */
static void lift(struct live *l, struct live_phase *lp, uint32_t unit, const uint8_t *step)
{
	const struct machine *m = l->pb->machine;

	for (uint32_t j = lp->head[unit]; j != PROB_NONE; j = lp->next[j])
		for (uint32_t k = lp->conflict_at[j]; k < lp->conflict_at[j + 1]; k++) {
			uint32_t i = lp->conflict[k];
			const struct prob_conflict *c = &lp->ph->conflicts[i];

			if (l->is_lifted[i])
				continue;
			l->is_lifted[i] = true;
			l->lifted[l->n_lifted++] = i;
			if (!(lp->paid[2 * i] | lp->paid[2 * i + 1]))
				continue;
			add_load(m, lp, lp->unit[c->a], 0 - lp->paid[2 * i], step);
			add_load(m, lp, lp->unit[c->b], 0 - lp->paid[2 * i + 1], step);
			lp->paid[2 * i] = lp->paid[2 * i + 1] = 0;
		}
}

/*
 * Who takes turns with whom is known when all have entered.  It is enough that
 * those enter whose conflicts were lifted: if one with a member on a unit was,
 * all were.
 */
static void put_down(struct live *l, struct live_phase *lp, const uint8_t *step)
{
	uint32_t n = 0;

	while (l->n_lifted) {
		uint32_t i = l->lifted[--l->n_lifted];

		l->is_lifted[i] = false;
		n += enter(l, lp, i, &l->meetings[n]);
	}
	for (uint32_t k = 0; k < n; k++) {
		const struct meeting *m = &l->meetings[k];
		uint64_t *paid = &lp->paid[2 * (m->c - lp->ph->conflicts)];

		meet_costs(&l->room, m, &paid[0], &paid[1]);
		add_load(l->pb->machine, lp, m->ua, paid[0], step);
		add_load(l->pb->machine, lp, m->ub, paid[1], step);
	}
	for (uint32_t k = 0; k < n; k++)
		meet_leave(&l->room, &l->meetings[k]);
}

/* ---- changes ---- */

static void unlink_member(struct live_phase *lp, uint32_t i)
{
	uint32_t *at = &lp->head[lp->unit[i]];

	while (*at != i)
		at = &lp->next[*at];
	*at = lp->next[i];
}

static void link_member(struct live_phase *lp, uint32_t i, uint16_t unit)
{
	lp->unit[i] = unit;
	lp->next[i] = lp->head[unit];
	lp->head[unit] = i;
}

void live_build(struct live *l, const struct design *d, uint32_t p)
{
	const struct machine *m = l->pb->machine;
	const uint8_t *step = design_steps(l->pb, d, p);
	struct live_phase *lp = &l->phase[p];

	memset(lp->load, 0, m->n_units * sizeof(*lp->load));
	memset(lp->package, 0, m->n_packages * sizeof(*lp->package));
	memset(lp->head, 0xff, m->n_units * sizeof(*lp->head));
	memset(lp->paid, 0, 2 * (size_t)lp->ph->n_conflicts * sizeof(*lp->paid));
	for (uint32_t u = 0; u < m->n_units; u++)
		lp->package[m->units[u].package].idle_mw += m->idle_mw[step[m->units[u].domain]];
	for (uint32_t i = 0; i < lp->ph->n_members; i++) {
		uint16_t u = design_unit(l->pb, d, lp->ph->members[i].slot);

		link_member(lp, i, u);
		lp->work[i] = lp->ph->work_ns[(size_t)i * m->n_steps + step[m->units[u].domain]];
		add_load(m, lp, u, lp->work[i], step);
	}
	for (uint32_t i = 0; i < lp->ph->n_conflicts; i++)
		l->lifted[l->n_lifted++] = i;
	put_down(l, lp, step);
	sum_up(l, lp, step, &l->cost[p]);
	l->builds++;
}

void live_move(struct live *l, uint32_t p, uint32_t i, uint16_t unit, const uint8_t *step)
{
	const struct machine *m = l->pb->machine;
	struct live_phase *lp = &l->phase[p];
	uint16_t from = lp->unit[i];

	if (from == unit)
		return;
	if (lp->ph->n_conflicts) {
		lift(l, lp, from, step);
		lift(l, lp, unit, step);
	}
	add_load(m, lp, from, 0 - lp->work[i], step);
	unlink_member(lp, i);
	link_member(lp, i, unit);
	lp->work[i] = lp->ph->work_ns[(size_t)i * m->n_steps + step[m->units[unit].domain]];
	add_load(m, lp, unit, lp->work[i], step);
	put_down(l, lp, step);
	sum_up(l, lp, step, &l->cost[p]);
	l->moves++;
}
