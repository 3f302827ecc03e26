/* SPDX-License-Identifier: MIT */
#include "planner/cost/phase.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

void scratch_init(struct scratch *s, const struct problem *pb)
{
	*s = (struct scratch){0};
	s->load = mem_new(pb->machine->n_units, sizeof(*s->load));
	s->longest = mem_new(pb->machine->n_packages, sizeof(*s->longest));
	s->work = mem_new(pb->max_members + 1, sizeof(*s->work));
	s->extra = mem_new(pb->max_members + 1, sizeof(*s->extra));
	s->unit = mem_new(pb->max_members + 1, sizeof(*s->unit));
	s->meetings = mem_new(pb->max_conflicts + 1, sizeof(*s->meetings));
	s->shares = mem_new(pb->max_members + 1, sizeof(*s->shares));
	meet_room_init(&s->room, pb);
	if (!pb->max_users)
		return;
	s->until = mem_new(pb->machine->n_units, sizeof(*s->until));
	s->turns = mem_new(pb->max_users, sizeof(*s->turns));
}

void scratch_release(struct scratch *s)
{
	free(s->load);
	free(s->longest);
	free(s->until);
	free(s->turns);
	free(s->work);
	free(s->extra);
	free(s->unit);
	free(s->meetings);
	free(s->shares);
	meet_room_release(&s->room);
	*s = (struct scratch){0};
}

/* Time until member @i is through if all members of its unit take equal turns. */
static uint64_t through(const struct scratch *s, uint32_t n, const uint16_t *unit, uint32_t i)
{
	uint64_t sum = 0;

	if (s->load[unit[i]] == s->work[i])
		return s->work[i];
	for (uint32_t j = 0; j < n; j++)
		if (unit[j] == unit[i])
			sum += s->work[j] < s->work[i] ? s->work[j] : s->work[i];
	return sum;
}

/* Conflicts whose sides are on different units and pay; s->extra gets what they cost.  False if nobody meets. */
static bool meet_in_turn(const struct problem *pb, const struct prob_phase *ph, uint32_t n,
			 uint32_t n_conflicts, const uint16_t *unit, struct scratch *s)
{
	uint32_t n_meetings = 0;

	for (uint32_t i = 0; i < n_conflicts; i++) {
		const struct prob_conflict *c = &ph->conflicts[i];
		/* Turns of light members are left out: they must not make a conflict cheaper than the bound has it. */
		uint32_t turns = i < ph->n_heavy_conflicts ? ph->n_heavy : n;
		struct meeting m = {.c = c, .ua = unit[c->a], .ub = unit[c->b]};

		m.distance = pb->machine->distance[(size_t)m.ua * pb->machine->n_units + m.ub];
		if (m.ua == m.ub || !(c->extra_a[m.distance] | c->extra_b[m.distance]))
			continue;
		meet_enter(&s->room, &m, s->work, through(s, turns, unit, c->a),
			   through(s, turns, unit, c->b));
		s->meetings[n_meetings++] = m;
	}
	if (n_meetings)
		memset(s->extra, 0, n * sizeof(*s->extra));
	for (uint32_t i = 0; i < n_meetings; i++) {
		uint64_t a, b;

		meet_costs(&s->room, &s->meetings[i], &a, &b);
		s->extra[s->meetings[i].c->a] += a;
		s->extra[s->meetings[i].c->b] += b;
	}
	for (uint32_t i = 0; i < n_meetings; i++)
		meet_leave(&s->room, &s->meetings[i]);
	return n_meetings;
}

static void add_conflicts(const struct problem *pb, const struct prob_phase *ph, uint32_t n,
			  const uint16_t *unit, struct scratch *s)
{
	uint32_t n_conflicts = n == ph->n_heavy ? ph->n_heavy_conflicts : ph->n_conflicts;

	if (s->by_chance) {
		memset(s->extra, 0, n * sizeof(*s->extra));
		meet_shares_by_chance(pb, ph, n_conflicts, s->shares);
		for (uint32_t i = 0; i < n_conflicts; i++)
			meet_by_chance(pb, ph, &ph->conflicts[i], s->shares, s->work, s->extra);
	} else if (!meet_in_turn(pb, ph, n, n_conflicts, unit, s)) {
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		s->load[unit[i]] += s->extra[i];
}

static void add_loads(const struct problem *pb, const struct prob_phase *ph, uint32_t n, const uint16_t *unit,
		      const uint8_t *step, struct scratch *s)
{
	const struct machine *m = pb->machine;

	memset(s->load, 0, m->n_units * sizeof(*s->load));
	for (uint32_t i = 0; i < n; i++) {
		s->work[i] = ph->work_ns[(size_t)i * m->n_steps + step[m->units[unit[i]].domain]];
		s->load[unit[i]] += s->work[i];
	}
}

/* Power drawn for the phase's whole length and for parts of it. */
static void add_power(const struct problem *pb, const uint8_t *step, struct scratch *s,
		      struct phase_cost *cost)
{
	const struct machine *m = pb->machine;

	for (uint32_t k = 0; k < m->n_packages; k++) {
		const struct machine_package *pkg = &m->packages[k];
		uint64_t awake = pkg->halts ? s->longest[k] : cost->time_ns;
		bool drawn = s->longest[k] || !pkg->halts;

		cost->energy_pj += pkg->halt_mw * (cost->time_ns - awake);
		if (!drawn)
			cost->draw_mw += pkg->halt_mw;
		if (!awake && !drawn)
			continue;
		for (uint32_t u = pkg->first; u < pkg->last; u++) {
			uint8_t f = step[m->units[u].domain];

			cost->energy_pj += m->busy_mw[f] * s->load[u] + m->idle_mw[f] * (awake - s->load[u]);
			if (drawn)
				cost->draw_mw += s->load[u] ? m->busy_mw[f] : m->idle_mw[f];
		}
	}
}

/* Who waits for locks makes the phase longer, and keeps packages awake. */
__attribute__((noinline)) static void add_waits(const struct problem *pb, const struct prob_phase *ph,
						uint32_t n, const uint16_t *unit, const uint8_t *step,
						struct scratch *s, struct phase_cost *cost)
{
	const struct machine *m = pb->machine;

	memcpy(s->until, s->load, m->n_units * sizeof(*s->until));
	locks_raise(m, ph, n, unit, step, s->turns, s->until);
	for (uint32_t k = 0; k < m->n_packages; k++) {
		uint64_t last;

		s->longest[k] = locks_awake(m, k, s->load, s->until, &last);
		cost->time_ns = last > cost->time_ns ? last : cost->time_ns;
	}
}

void phase_eval(const struct problem *pb, const struct prob_phase *ph, uint32_t n, const uint16_t *unit,
		const uint8_t *step, struct scratch *s, struct phase_cost *cost)
{
	const struct machine *m = pb->machine;

	s->evaluated++;
	add_loads(pb, ph, n, unit, step, s);
	if (ph->n_conflicts)
		add_conflicts(pb, ph, n, unit, s);
	*cost = (struct phase_cost){0};
	for (uint32_t k = 0; k < m->n_packages; k++) {
		s->longest[k] = 0;
		for (uint32_t u = m->packages[k].first; u < m->packages[k].last; u++)
			if (s->load[u] > s->longest[k])
				s->longest[k] = s->load[u];
		if (s->longest[k] > cost->time_ns)
			cost->time_ns = s->longest[k];
	}
	if (ph->n_locks)
		add_waits(pb, ph, n, unit, step, s, cost);
	add_power(pb, step, s, cost);
}

void phase_states(const struct problem *pb, const struct scratch *s, const struct phase_cost *cost,
		  struct phase_states *out)
{
	const struct machine *m = pb->machine;

	for (uint32_t u = 0; u < m->n_units; u++) {
		uint32_t k = m->units[u].package;
		uint64_t awake = m->packages[k].halts ? s->longest[k] : cost->time_ns;

		out->busy += s->load[u];
		out->idle += awake - s->load[u];
		out->halted += cost->time_ns - awake;
	}
}

uint64_t phase_halt_ns(const struct problem *pb, const struct scratch *s, const struct phase_cost *cost)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < pb->machine->n_packages; k++)
		if (pb->machine->packages[k].halts)
			sum += cost->time_ns - s->longest[k];
	return sum;
}

/* Least power that a busy unit draws above an idle one. */
static uint64_t least_busy_mw(const struct machine *m)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t f = 0; f < m->n_steps; f++)
		if (m->busy_mw[f] - m->idle_mw[f] < least)
			least = m->busy_mw[f] - m->idle_mw[f];
	return least;
}

static uint64_t work_at(const struct problem *pb, const struct prob_phase *ph, uint32_t member, uint32_t step)
{
	return ph->work_ns[(size_t)member * pb->machine->n_steps + step];
}

/*
 * What conflict @c cannot cost less than: each side with its least work, and
 * its neighbours' turns as long as can be; s->work and s->load are those of
 * the slowest step.
 */
static void meet_least(const struct problem *pb, const struct prob_phase *ph, const struct prob_conflict *c,
		       const uint16_t *unit, uint8_t d, struct scratch *s)
{
	uint64_t wa = work_at(pb, ph, c->a, 0), wb = work_at(pb, ph, c->b, 0);
	uint64_t fa = through(s, ph->n_heavy, unit, c->a), fb = through(s, ph->n_heavy, unit, c->b);
	uint64_t accesses = meet_paid(c, wa, wb, fa, fb);
	struct meet_turn a = {c->slower_a[d], wb, fb}, b = {c->slower_b[d], wa, fa};

	s->extra[c->a] += meet_held_up_least(accesses, c->extra_a[d], &a);
	s->extra[c->b] += meet_held_up_least(accesses, c->extra_b[d], &b);
}

/* How much longer package @k is awake at least for locks, ns; s->until is what it is with all at the top step. */
static uint64_t longer_awake(const struct machine *m, const struct prob_phase *ph, const uint16_t *unit,
			     const struct scratch *s, uint32_t k)
{
	uint64_t last = 0, work = 0, longest = 0;

	for (uint32_t u = m->packages[k].first; u < m->packages[k].last; u++) {
		last = s->until[u] > last ? s->until[u] : last;
		longest = s->load[u] > longest ? s->load[u] : longest;
	}
	for (uint32_t i = 0; last > longest && i < ph->n_heavy; i++)
		if (m->units[unit[i]].package == k)
			work += ph->work_ns[(size_t)i * m->n_steps];
	last = work < last ? work : last;
	return last > longest ? last - longest : 0;
}

/*
 * Locks at the top step: until when each unit cannot be through goes to
 * s->until.  Returns the energy that this adds at least: packages are awake
 * for longer than the slowest step's loads (s->load) keep them, or the phase
 * lasts longer than those do.
 */
static uint64_t wait_least(const struct machine *m, const struct prob_phase *ph, const uint16_t *unit,
			   struct scratch *s)
{
	uint64_t last = 0, load = 0, halted_mw = 0, energy = 0;

	memset(s->until, 0, m->n_units * sizeof(*s->until));
	locks_raise_all(m, ph, ph->n_heavy, unit, 0, s->turns, s->until);
	for (uint32_t u = 0; u < m->n_units; u++) {
		last = s->until[u] > last ? s->until[u] : last;
		load = s->load[u] > load ? s->load[u] : load;
	}
	for (uint32_t k = 0; k < m->n_packages; k++) {
		const struct machine_package *pkg = &m->packages[k];
		uint64_t idle_mw = (pkg->last - pkg->first) * m->idle_mw[m->idle_step];

		halted_mw += pkg->halt_mw;
		energy += longer_awake(m, ph, unit, s, k) * (idle_mw - pkg->halt_mw);
	}
	return energy + (last > load ? (last - load) * halted_mw : 0);
}

void phase_floor(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		 struct scratch *s, struct cost *cost)
{
	const struct machine *m = pb->machine;
	uint64_t sum = 0, waiting_pj = 0;

	memset(s->load, 0, m->n_units * sizeof(*s->load));
	memset(s->extra, 0, ph->n_heavy * sizeof(*s->extra));
	for (uint32_t i = 0; i < ph->n_heavy; i++) {
		s->work[i] = work_at(pb, ph, i, m->n_steps - 1);
		s->load[unit[i]] += s->work[i];
	}
	for (uint32_t i = 0; i < ph->n_heavy_conflicts; i++) {
		const struct prob_conflict *c = &ph->conflicts[i];
		uint8_t d = m->distance[(size_t)unit[c->a] * m->n_units + unit[c->b]];

		if (unit[c->a] != unit[c->b] && (c->extra_a[d] | c->extra_b[d]))
			meet_least(pb, ph, c, unit, d, s);
	}
	if (ph->n_locks)
		waiting_pj = wait_least(m, ph, unit, s);
	memset(s->load, 0, m->n_units * sizeof(*s->load));
	*cost = (struct cost){0};
	for (uint32_t i = 0; i < ph->n_heavy; i++) {
		s->load[unit[i]] += work_at(pb, ph, i, 0) + s->extra[i];
		sum += s->extra[i];
		if (s->load[unit[i]] > cost->time_ns)
			cost->time_ns = s->load[unit[i]];
	}
	for (uint32_t u = 0; ph->n_locks && u < m->n_units; u++)
		cost->time_ns = s->until[u] > cost->time_ns ? s->until[u] : cost->time_ns;
	cost->energy_pj = sum * least_busy_mw(m) + waiting_pj;
}

static bool meets(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit)
{
	for (uint32_t i = 0; i < ph->n_heavy_conflicts; i++) {
		const struct prob_conflict *c = &ph->conflicts[i];
		uint8_t d = pb->machine->distance[(size_t)unit[c->a] * pb->machine->n_units + unit[c->b]];

		if (unit[c->a] != unit[c->b] && (c->extra_a[d] | c->extra_b[d]))
			return true;
	}
	return false;
}

/* May a lock hold up somebody for longer than the unit's work takes?  At the slowest step, against the fastest. */
static bool waits(const struct machine *m, const struct prob_phase *ph, const uint16_t *unit,
		  struct scratch *s)
{
	memset(s->until, 0, m->n_units * sizeof(*s->until));
	locks_raise_all(m, ph, ph->n_heavy, unit, m->n_steps - 1, s->turns, s->until);
	for (uint32_t i = 0; i < ph->n_heavy; i++) {
		uint64_t ns = ph->work_ns[(size_t)i * m->n_steps];

		s->until[unit[i]] -= ns < s->until[unit[i]] ? ns : s->until[unit[i]];
	}
	for (uint32_t i = 0; i < ph->n_heavy; i++)
		if (s->until[unit[i]])
			return true;
	return false;
}

bool phase_coupled(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		   struct scratch *s)
{
	return meets(pb, ph, unit) || (ph->n_locks && waits(pb->machine, ph, unit, s));
}
