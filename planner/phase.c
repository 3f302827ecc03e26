/* SPDX-License-Identifier: MIT */
#include "planner/phase.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

void scratch_init(struct scratch *s, const struct problem *pb)
{
	s->load = mem_new(pb->machine->n_units, sizeof(*s->load));
	s->longest = mem_new(pb->machine->n_packages, sizeof(*s->longest));
	s->work = mem_new(pb->max_members + 1, sizeof(*s->work));
	s->extra = mem_new(pb->max_members + 1, sizeof(*s->extra));
	s->unit = mem_new(pb->max_members + 1, sizeof(*s->unit));
	s->conflict_permille = 1000;
}

void scratch_release(struct scratch *s)
{
	free(s->load);
	free(s->longest);
	free(s->work);
	free(s->extra);
	free(s->unit);
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

/* Two threads at a line: accesses that pay on each side, and for which part of the time each has its unit. */
struct meeting {
	uint64_t accesses;
	uint64_t a, of_a, b, of_b; /* a / of_a, b / of_b: parts of 1 */
	uint32_t distance;
};

/* Accesses made while both are there, and each in its turn. */
static uint64_t paid(const struct prob_conflict *c, uint64_t wa, uint64_t wb, uint64_t fa, uint64_t fb)
{
	uint64_t longer = fa > fb ? fa : fb;
	unsigned __int128 a, b;

	if (longer == wa && longer == wb)
		return c->count_a < c->count_b ? c->count_a : c->count_b;
	a = (unsigned __int128)c->count_a * wb;
	b = (unsigned __int128)c->count_b * wa;
	return longer ? (uint64_t)((a < b ? a : b) / longer) : 0;
}

static uint64_t scale(uint64_t accesses, uint64_t extra_ps, uint64_t permille)
{
	return (uint64_t)((unsigned __int128)accesses * extra_ps * permille / 1000000);
}

/*
 * What @accesses cost that were made while the other one had its unit for
 * @part / @of of the time.  Chance deals out time, and a thread that is held
 * up makes fewer accesses in it: by so much fewer of them pay.
 */
static uint64_t held_up(uint64_t accesses, uint64_t extra_ps, uint64_t slow, uint64_t part, uint64_t of,
			uint64_t permille)
{
	uint64_t ns = scale(accesses, extra_ps, permille);
	unsigned __int128 longer;

	slow = 1000 + (slow > 1000 ? slow - 1000 : 0) * permille / 1000;
	longer = (unsigned __int128)part * 1000 + (unsigned __int128)(of - part) * slow;
	return part < of && longer ? (uint64_t)((unsigned __int128)ns * of * 1000 / longer) : ns;
}

static void pay(const struct prob_conflict *c, const struct meeting *m, uint64_t permille, uint64_t *extra_a,
		uint64_t *extra_b)
{
	*extra_a += held_up(m->accesses, c->extra_a[m->distance], c->slow_a[m->distance], m->b, m->of_b,
			    permille);
	*extra_b += held_up(m->accesses, c->extra_b[m->distance], c->slow_b[m->distance], m->a, m->of_a,
			    permille);
}

/* Both on their units, in turn with whoever else is there. */
static void meet_in_turn(const struct prob_conflict *c, const struct scratch *s, uint32_t n,
			 const uint16_t *unit, struct meeting *m)
{
	m->a = s->work[c->a];
	m->b = s->work[c->b];
	m->of_a = through(s, n, unit, c->a);
	m->of_b = through(s, n, unit, c->b);
	m->accesses = paid(c, m->a, m->b, m->of_a, m->of_b);
}

void phase_by_chance(const struct problem *pb, const struct prob_phase *ph, const struct prob_conflict *c,
		     const uint64_t *work, uint64_t permille, uint64_t *extra)
{
	uint64_t others = ph->n_heavy > 1 ? ph->n_heavy - 1 : 1, units = pb->machine->n_units - 1;
	struct meeting m = {.distance = PROB_ANYWHERE};

	m.a = m.b = units < others ? units : others;
	m.of_a = m.of_b = others;
	m.accesses = paid(c, work[c->a], work[c->b], work[c->a], work[c->b]);
	m.accesses = (uint64_t)((unsigned __int128)m.accesses * m.a / others);
	pay(c, &m, permille, &extra[c->a], &extra[c->b]);
}

static void add_conflicts(const struct problem *pb, const struct prob_phase *ph, uint32_t n,
			  const uint16_t *unit, struct scratch *s)
{
	uint32_t n_conflicts = n == ph->n_heavy ? ph->n_heavy_conflicts : ph->n_conflicts;
	bool any = false;

	for (uint32_t i = 0; i < n_conflicts; i++) {
		const struct prob_conflict *c = &ph->conflicts[i];
		uint32_t ua = unit[c->a], ub = unit[c->b];
		uint8_t d = pb->machine->distance[(size_t)ua * pb->machine->n_units + ub];
		struct meeting m = {.distance = d};

		if (!s->by_chance && (ua == ub || !(c->extra_a[d] | c->extra_b[d])))
			continue;
		if (!any)
			memset(s->extra, 0, n * sizeof(*s->extra));
		any = true;
		if (s->by_chance) {
			phase_by_chance(pb, ph, c, s->work, s->conflict_permille, s->extra);
			continue;
		}
		/* Turns of light members are left out: they must not make a conflict cheaper than the bound has it. */
		meet_in_turn(c, s, i < ph->n_heavy_conflicts ? ph->n_heavy : n, unit, &m);
		pay(c, &m, s->conflict_permille, &s->extra[c->a], &s->extra[c->b]);
	}
	for (uint32_t i = 0; any && i < n; i++)
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

		cost->energy_pj += pkg->halt_mw * (cost->time_ns - awake);
		if (!s->longest[k])
			cost->draw_mw += pkg->halt_mw;
		if (!awake)
			continue;
		for (uint32_t u = pkg->first; u < pkg->last; u++) {
			uint8_t f = step[m->units[u].domain];

			cost->energy_pj += m->busy_mw[f] * s->load[u] + m->idle_mw[f] * (awake - s->load[u]);
			if (s->longest[k])
				cost->draw_mw += s->load[u] ? m->busy_mw[f] : m->idle_mw[f];
		}
	}
}

void phase_eval(const struct problem *pb, const struct prob_phase *ph, uint32_t n, const uint16_t *unit,
		const uint8_t *step, struct scratch *s, struct phase_cost *cost)
{
	const struct machine *m = pb->machine;

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
 * What a conflict cannot cost less than; s->work and s->load are those of the
 * slowest step.  Each thread has its unit for no smaller part of the time than
 * if it alone were fast.
 */
static void meet_least(const struct problem *pb, const struct prob_phase *ph, const struct prob_conflict *c,
		       const uint16_t *unit, const struct scratch *s, struct meeting *m)
{
	m->a = work_at(pb, ph, c->a, 0);
	m->b = work_at(pb, ph, c->b, 0);
	m->of_a = through(s, ph->n_heavy, unit, c->a);
	m->of_b = through(s, ph->n_heavy, unit, c->b);
	m->accesses = paid(c, m->a, m->b, m->of_a, m->of_b);
}

void phase_floor(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		 struct scratch *s, struct cost *cost)
{
	const struct machine *m = pb->machine;
	uint64_t sum = 0;

	memset(s->load, 0, m->n_units * sizeof(*s->load));
	memset(s->extra, 0, ph->n_heavy * sizeof(*s->extra));
	for (uint32_t i = 0; i < ph->n_heavy; i++) {
		s->work[i] = work_at(pb, ph, i, m->n_steps - 1);
		s->load[unit[i]] += s->work[i];
	}
	for (uint32_t i = 0; i < ph->n_heavy_conflicts; i++) {
		const struct prob_conflict *c = &ph->conflicts[i];
		uint8_t d = m->distance[(size_t)unit[c->a] * m->n_units + unit[c->b]];
		struct meeting least = {.distance = d};

		if (unit[c->a] == unit[c->b] || !(c->extra_a[d] | c->extra_b[d]))
			continue;
		meet_least(pb, ph, c, unit, s, &least);
		pay(c, &least, s->conflict_permille, &s->extra[c->a], &s->extra[c->b]);
	}
	memset(s->load, 0, m->n_units * sizeof(*s->load));
	*cost = (struct cost){0, 0};
	for (uint32_t i = 0; i < ph->n_heavy; i++) {
		s->load[unit[i]] += work_at(pb, ph, i, 0) + s->extra[i];
		sum += s->extra[i];
		if (s->load[unit[i]] > cost->time_ns)
			cost->time_ns = s->load[unit[i]];
	}
	cost->energy_pj = sum * least_busy_mw(m);
}

bool phase_conflicts(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit)
{
	for (uint32_t i = 0; i < ph->n_heavy_conflicts; i++) {
		const struct prob_conflict *c = &ph->conflicts[i];
		uint8_t d = pb->machine->distance[(size_t)unit[c->a] * pb->machine->n_units + unit[c->b]];

		if (unit[c->a] != unit[c->b] && (c->extra_a[d] | c->extra_b[d]))
			return true;
	}
	return false;
}
