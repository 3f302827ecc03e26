/* SPDX-License-Identifier: MIT */
#include "planner/exact/steps.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* Combinations of steps tried for one placement with conflicts. */
#define MAX_COMBINATIONS 4096

#define NO_COST UINT64_MAX

void stepper_init(struct stepper *st, const struct problem *pb)
{
	const struct machine *m = pb->machine;
	size_t n = (size_t)m->n_units * m->n_steps;

	st->load = mem_new(n, sizeof(*st->load));
	st->awake = mem_new(n + m->n_packages, sizeof(*st->awake));
	st->energy = mem_new(n + m->n_packages, sizeof(*st->energy));
	st->first = mem_new(m->n_packages + 1, sizeof(*st->first));
	st->pinned = mem_new(m->n_domains, 1);
	st->trial = mem_new(m->n_domains, 1);
	st->best = mem_new(m->n_domains, 1);
	st->busy = mem_new(m->n_domains, sizeof(*st->busy));
	st->useless = mem_new(m->n_steps, sizeof(*st->useless));
}

void stepper_release(struct stepper *st)
{
	free(st->load);
	free(st->awake);
	free(st->energy);
	free(st->first);
	free(st->pinned);
	free(st->trial);
	free(st->best);
	free(st->busy);
	free(st->useless);
	*st = (struct stepper){0};
}

/* ---- the separable choice ---- */

/*
 * Least energy of a domain whose package is awake for @awake, and its step;
 * NO_COST if no allowed step is fast enough.  Equal costs: the faster step.
 */
static uint64_t domain_best(const struct machine *m, const struct stepper *st, uint32_t d, uint64_t awake,
			    uint8_t *step)
{
	const struct machine_domain *dom = &m->domains[d];
	uint32_t from = st->pinned[d] == STEP_FREE ? 0 : st->pinned[d];
	uint32_t to = st->pinned[d] == STEP_FREE ? m->n_steps - 1 : st->pinned[d];
	uint64_t best = NO_COST;

	for (uint32_t f = from; f <= to; f++) {
		uint64_t sum = 0;

		if (st->useless[f])
			continue;

		for (uint32_t i = 0; i < dom->n_units && sum != NO_COST; i++) {
			uint64_t l = st->load[(size_t)dom->units[i] * m->n_steps + f];

			sum = l > awake ? NO_COST : sum + m->busy_mw[f] * l + m->idle_mw[f] * (awake - l);
		}
		if (sum < best) {
			best = sum;
			*step = (uint8_t)f;
		}
	}
	return best;
}

/*
 * Energy of a package that is awake for @awake, less what halting for that
 * long would have drawn; NO_COST if that is too short.  A domain that spans
 * packages has one allowed step: its units count here by themselves.
 */
static uint64_t package_energy(const struct machine *m, const struct stepper *st, uint32_t k, uint64_t awake)
{
	const struct machine_package *pkg = &m->packages[k];
	uint64_t sum = 0;

	for (uint32_t u = pkg->first; u < pkg->last; u++) {
		const struct machine_domain *dom = &m->domains[m->units[u].domain];
		uint64_t e, l;
		uint8_t f;

		if (dom->package == MACHINE_NONE) {
			f = st->pinned[m->units[u].domain];
			l = st->load[(size_t)u * m->n_steps + f];
			e = l > awake ? NO_COST : m->busy_mw[f] * l + m->idle_mw[f] * (awake - l);
		} else if (dom->units[0] == u) {
			e = domain_best(m, st, m->units[u].domain, awake, &f);
		} else {
			continue;
		}
		if (e == NO_COST)
			return NO_COST;
		sum += e;
	}
	return pkg->halts ? sum - pkg->halt_mw * awake : sum;
}

/* All lengths that package @k may be awake: a time that one of its units takes. */
static void list_lengths(const struct machine *m, struct stepper *st, uint32_t k)
{
	const struct machine_package *pkg = &m->packages[k];
	uint32_t n = st->first[k];

	for (uint32_t u = pkg->first; u < pkg->last; u++)
		for (uint32_t f = 0; f < m->n_steps; f++) {
			uint64_t l = st->load[(size_t)u * m->n_steps + f];

			if (!l || st->useless[f] || (n > st->first[k] && st->awake[n - 1] == l))
				continue;
			st->awake[n] = l;
			st->energy[n] = package_energy(m, st, k, l);
			n += st->energy[n] != NO_COST;
		}
	if (n == st->first[k]) {
		st->awake[n] = 0;
		st->energy[n++] = 0;
	}
	st->first[k + 1] = n;
}

/* The best length of package @k in a phase of @time; index into the lists, its energy. */
static uint64_t best_length(const struct machine *m, const struct stepper *st, uint32_t k, uint64_t time,
			    uint64_t *length)
{
	uint64_t best = NO_COST;

	if (!m->packages[k].halts) {
		*length = time;
		return package_energy(m, st, k, time);
	}
	for (uint32_t i = st->first[k]; i < st->first[k + 1]; i++)
		if (st->awake[i] <= time && st->energy[i] < best) {
			best = st->energy[i];
			*length = st->awake[i];
		}
	return best;
}

static uint64_t energy_at(const struct machine *m, const struct stepper *st, uint64_t time)
{
	uint64_t sum = 0, length, e;

	for (uint32_t k = 0; k < m->n_packages; k++) {
		e = best_length(m, st, k, time, &length);
		if (e == NO_COST)
			return NO_COST;
		sum += e + (m->packages[k].halts ? m->packages[k].halt_mw * time : 0);
	}
	return sum;
}

static void read_steps(const struct machine *m, const struct stepper *st, uint64_t time, uint8_t *step)
{
	for (uint32_t d = 0; d < m->n_domains; d++) {
		uint32_t k = m->domains[d].package;
		uint64_t length = 0;

		step[d] = 0;
		if (k == MACHINE_NONE) {
			step[d] = st->pinned[d];
			continue;
		}
		best_length(m, st, k, time, &length);
		if (length)
			domain_best(m, st, d, length, &step[d]);
	}
}

/* The best choice that respects st->pinned. */
static void solve(const struct machine *m, struct stepper *st, const struct goal *goal, struct cost *best,
		  uint8_t *step)
{
	uint64_t at = 0;

	*best = (struct cost){.time_ns = NO_COST, .energy_pj = NO_COST};
	st->first[0] = 0;
	for (uint32_t k = 0; k < m->n_packages; k++)
		list_lengths(m, st, k);
	for (uint32_t i = 0; i < st->first[m->n_packages]; i++) {
		struct cost c = {.time_ns = st->awake[i]};

		if (goal->objective == PLAN_TIME && c.time_ns > best->time_ns)
			continue;
		c.energy_pj = energy_at(m, st, c.time_ns);
		if (c.energy_pj != NO_COST && cost_compare(&c, best, goal) < 0) {
			*best = c;
			at = c.time_ns;
		}
	}
	read_steps(m, st, at, step);
}

/* Is step @slow of no use beside @fast, a faster one, to any member and to idle units? */
static bool dominated(const struct machine *m, const struct prob_phase *ph, uint32_t fast, uint32_t slow)
{
	uint64_t x = m->busy_mw[fast] - m->idle_mw[fast], y = m->busy_mw[slow] - m->idle_mw[slow];

	if (m->idle_mw[fast] > m->idle_mw[slow])
		return false;
	for (uint32_t i = 0; i < ph->n_heavy; i++) {
		const uint64_t *w = &ph->work_ns[(size_t)i * m->n_steps];

		if (w[fast] > w[slow] || x * w[fast] > y * w[slow])
			return false;
	}
	return true;
}

void steps_useless(const struct machine *m, const struct prob_phase *ph, bool *useless)
{
	bool spans = false;

	for (uint32_t d = 0; d < m->n_domains; d++)
		spans |= m->domains[d].package == MACHINE_NONE;
	for (uint32_t s = 0; s < m->n_steps; s++) {
		useless[s] = false;
		for (uint32_t f = 0; f < s && !spans && !useless[s]; f++)
			useless[s] = !useless[f] && dominated(m, ph, f, s);
	}
}

static void fill_loads(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		       struct stepper *st)
{
	uint32_t n = pb->machine->n_steps;

	memset(st->load, 0, (size_t)pb->machine->n_units * n * sizeof(*st->load));
	for (uint32_t i = 0; i < ph->n_heavy; i++)
		for (uint32_t f = 0; f < n; f++)
			st->load[(size_t)unit[i] * n + f] += ph->work_ns[(size_t)i * n + f];
	steps_useless(pb->machine, ph, st->useless);
}

/* Count @digit up as a number of base @base; false after the last one. */
static bool next_combination(uint8_t *digit, const uint32_t *at, uint32_t n, uint32_t base)
{
	for (uint32_t i = 0; i < n; i++) {
		if (++digit[at[i]] < base)
			return true;
		digit[at[i]] = 0;
	}
	return false;
}

/* Domains that span packages are pinned, for their choice does not fall apart; the others are free. */
static uint32_t pin_spanning(const struct machine *m, struct stepper *st)
{
	uint32_t n = 0;

	for (uint32_t d = 0; d < m->n_domains; d++) {
		st->pinned[d] = STEP_FREE;
		if (m->domains[d].package == MACHINE_NONE) {
			st->pinned[d] = 0;
			st->busy[n++] = d;
		}
	}
	return n;
}

void steps_separable(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		     const struct goal *goal, struct stepper *st, uint8_t *step, struct cost *bound)
{
	const struct machine *m = pb->machine;
	uint32_t n;

	fill_loads(pb, ph, unit, st);
	n = pin_spanning(m, st);
	*bound = (struct cost){.time_ns = NO_COST, .energy_pj = NO_COST};
	do {
		struct cost c;

		solve(m, st, goal, &c, st->trial);
		if (cost_compare(&c, bound, goal) < 0) {
			*bound = c;
			memcpy(step, st->trial, m->n_domains);
		}
	} while (next_combination(st->pinned, st->busy, n, m->n_steps));
}

/* ---- with conflicts ---- */

static struct cost evaluate(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
			    const uint8_t *step, struct scratch *s, uint64_t *evaluations)
{
	struct phase_cost c;

	phase_eval(pb, ph, ph->n_heavy, unit, step, s, &c);
	++*evaluations;
	return (struct cost){
		.time_ns = c.time_ns,
		.energy_pj = c.energy_pj,
		.peak_mw = c.draw_mw,
		.late_ns = ph->limit_ns && c.time_ns > ph->limit_ns ? c.time_ns - ph->limit_ns : 0,
		.over_mw = pb->cap_mw && c.draw_mw > pb->cap_mw ? c.draw_mw - pb->cap_mw : 0,
	};
}

/* The domains that have work, and idle steps for the others. */
static uint32_t list_busy(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
			  struct stepper *st)
{
	const struct machine *m = pb->machine;
	uint32_t n = 0;

	memset(st->trial, (int)m->idle_step, m->n_domains);
	for (uint32_t d = 0; d < m->n_domains; d++) {
		bool busy = false, awake = false;

		for (uint32_t i = 0; i < ph->n_heavy; i++) {
			busy |= m->units[unit[i]].domain == d;
			awake |= m->units[unit[i]].package == m->domains[d].package;
		}
		if (busy)
			st->busy[n++] = d;
		if (busy || (!awake && m->domains[d].package != MACHINE_NONE &&
			     m->packages[m->domains[d].package].halts))
			st->trial[d] = 0;
	}
	return n;
}

static bool few_combinations(uint32_t base, uint32_t n)
{
	uint64_t product = 1;

	for (uint32_t i = 0; i < n; i++) {
		product *= base;
		if (product > MAX_COMBINATIONS)
			return false;
	}
	return true;
}

/* From the steps at hand, change one domain at a time while it helps. */
static void steps_descend(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
			  const struct goal *goal, struct stepper *st, struct scratch *s, uint32_t n,
			  uint8_t *step, struct cost *cost, uint64_t *evaluations)
{
	bool better = true;

	while (better) {
		better = false;
		for (uint32_t i = 0; i < n * pb->machine->n_steps; i++) {
			uint32_t d = st->busy[i / pb->machine->n_steps];
			uint8_t old = step[d];
			struct cost c;

			step[d] = (uint8_t)(i % pb->machine->n_steps);
			c = evaluate(pb, ph, unit, step, s, evaluations);
			if (cost_compare(&c, cost, goal) < 0) {
				*cost = c;
				better = true;
			} else {
				step[d] = old;
			}
		}
	}
}

bool steps_best(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		const struct goal *goal, struct stepper *st, struct scratch *s, uint8_t *step,
		struct cost *cost, uint64_t *evaluations)
{
	uint32_t n;

	steps_separable(pb, ph, unit, goal, st, step, cost);
	++*evaluations;
	if (!phase_coupled(pb, ph, unit, s))
		return true;
	*cost = evaluate(pb, ph, unit, step, s, evaluations);
	n = list_busy(pb, ph, unit, st);
	if (!few_combinations(pb->machine->n_steps, n)) {
		steps_descend(pb, ph, unit, goal, st, s, n, step, cost, evaluations);
		return false;
	}
	do {
		struct cost c = evaluate(pb, ph, unit, st->trial, s, evaluations);

		if (cost_compare(&c, cost, goal) < 0) {
			*cost = c;
			memcpy(step, st->trial, pb->machine->n_domains);
		}
	} while (next_combination(st->trial, st->busy, n, pb->machine->n_steps));
	return true;
}

/* ---- fronts ---- */

void step_set_init(struct step_set *set, bool peak)
{
	*set = (struct step_set){0};
	front_init(&set->front, peak);
}

void step_set_release(struct step_set *set)
{
	front_release(&set->front);
	free(set->step);
	*set = (struct step_set){0};
}

static void add_point(const struct problem *pb, struct step_set *set, const struct cost *c,
		      const uint8_t *step)
{
	uint32_t n_domains = pb->machine->n_domains;
	const struct front_point point = {*c, set->n, 0};

	if (c->late_ns || c->over_mw || !front_add(&set->front, &point))
		return;
	if (set->n == set->cap) {
		set->cap = set->cap ? 2 * set->cap : 16;
		set->step = mem_resize(set->step, set->cap, n_domains);
	}
	memcpy(set->step + (size_t)set->n++ * n_domains, step, n_domains);
}
/* Without conflicts: the least energy at each time that the phase may take. */
static void add_separable(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
			  struct stepper *st, struct scratch *s, struct step_set *set, uint64_t *evaluations)
{
	const struct machine *m = pb->machine;

	st->first[0] = 0;
	for (uint32_t k = 0; k < m->n_packages; k++)
		list_lengths(m, st, k);
	for (uint32_t i = 0; i < st->first[m->n_packages]; i++) {
		struct cost c = {.time_ns = st->awake[i]};

		c.energy_pj = energy_at(m, st, c.time_ns);
		if (c.energy_pj == NO_COST || front_covers(&set->front, &c))
			continue;
		read_steps(m, st, c.time_ns, st->trial);
		c = evaluate(pb, ph, unit, st->trial, s, evaluations);
		add_point(pb, set, &c, st->trial);
	}
}

/* From the top step and from the slowest, one domain at a time, for time and for the second figure. */
static void add_descents(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
			 struct stepper *st, struct scratch *s, uint32_t n, struct step_set *set,
			 uint64_t *evaluations)
{
	const enum plan_objective second = set->front.peak ? PLAN_POWER : PLAN_ENERGY;

	for (uint32_t i = 0; i < 4; i++) {
		const struct goal goal = {.objective = i % 2 ? second : PLAN_TIME};
		struct cost c;

		memcpy(st->best, st->trial, pb->machine->n_domains);
		for (uint32_t k = 0; k < n && i > 1; k++)
			st->best[st->busy[k]] = (uint8_t)(pb->machine->n_steps - 1);
		c = evaluate(pb, ph, unit, st->best, s, evaluations);
		steps_descend(pb, ph, unit, &goal, st, s, n, st->best, &c, evaluations);
		add_point(pb, set, &c, st->best);
	}
}

bool steps_front(const struct problem *pb, const struct prob_phase *ph, const uint16_t *unit,
		 struct stepper *st, struct scratch *s, struct step_set *set, uint64_t *evaluations)
{
	const struct machine *m = pb->machine;
	uint32_t n;

	set->n = set->front.n = 0;
	if (!set->front.peak && !pb->cap_mw && !phase_coupled(pb, ph, unit, s)) {
		fill_loads(pb, ph, unit, st);
		n = pin_spanning(m, st);
		do
			add_separable(pb, ph, unit, st, s, set, evaluations);
		while (next_combination(st->pinned, st->busy, n, m->n_steps));
		return true;
	}
	n = list_busy(pb, ph, unit, st);
	if (!few_combinations(m->n_steps, n)) {
		add_descents(pb, ph, unit, st, s, n, set, evaluations);
		return false;
	}
	do {
		struct cost c = evaluate(pb, ph, unit, st->trial, s, evaluations);

		add_point(pb, set, &c, st->trial);
	} while (next_combination(st->trial, st->busy, n, m->n_steps));
	return true;
}

/* ---- the bound ---- */

/* Least of a unit's own energy, above what the idlest step draws while its package is awake. */
static uint64_t unit_bound(const struct machine *m, const uint64_t *load, uint64_t awake)
{
	uint64_t best = NO_COST, floor_mw = m->idle_mw[m->idle_step];

	for (uint32_t f = 0; f < m->n_steps; f++) {
		uint64_t length = load[f] > awake ? load[f] : awake;
		uint64_t e = (m->busy_mw[f] - m->idle_mw[f]) * load[f] + (m->idle_mw[f] - floor_mw) * length;

		best = e < best ? e : best;
	}
	return best;
}

/* What a package draws more when it is awake and idle than when it is halted. */
static uint64_t waking_mw(const struct machine *m, uint32_t k)
{
	const struct machine_package *pkg = &m->packages[k];

	return (pkg->last - pkg->first) * m->idle_mw[m->idle_step] - pkg->halt_mw;
}

static uint64_t package_load(const struct machine *m, const uint64_t *load, uint32_t k)
{
	uint64_t awake = 0;

	for (uint32_t u = m->packages[k].first; u < m->packages[k].last; u++)
		awake = load[(size_t)u * m->n_steps] > awake ? load[(size_t)u * m->n_steps] : awake;
	return awake;
}

/*
 * Packages must be awake for longer than the placed threads need: all work
 * must fit into their cores, and the longest thread into one of them; and
 * while somebody works under a lock, one of them is.
 */
static uint64_t rest_awake(const struct machine *m, const uint64_t *load, const struct steps_rest *rest)
{
	uint64_t work = rest->sum_ns, room = 0, best_mw = 0, best_n = 0, longest = NO_COST;
	uint64_t serial = rest->serial_ns, least_mw = NO_COST;
	unsigned __int128 extra;

	for (uint32_t k = 0; k < m->n_packages; k++) {
		uint64_t n = m->packages[k].last - m->packages[k].first, mw = waking_mw(m, k);
		uint64_t awake = package_load(m, load, k), e = 0;

		room += n * awake;
		for (uint32_t u = m->packages[k].first; u < m->packages[k].last; u++)
			work += load[(size_t)u * m->n_steps];
		if (!best_n || mw * best_n < best_mw * n) {
			best_mw = mw;
			best_n = n;
		}
		if (rest->longest_ns > awake)
			e = (rest->longest_ns - awake) * mw;
		longest = e < longest ? e : longest;
		serial -= awake < serial ? awake : serial;
		least_mw = mw < least_mw ? mw : least_mw;
	}
	longest = serial * least_mw > longest ? serial * least_mw : longest;
	extra = work > room ? (unsigned __int128)(work - room) * best_mw / best_n : 0;
	return extra > longest ? (uint64_t)extra : longest;
}

void steps_bound(const struct problem *pb, const uint64_t *load, const struct steps_rest *rest,
		 struct cost *bound)
{
	const struct machine *m = pb->machine;
	uint64_t sum = rest->sum_ns, time = rest->longest_ns;

	*bound = (struct cost){.energy_pj = rest->least_pj};
	for (uint32_t u = 0; u < m->n_units; u++) {
		uint64_t l = load[(size_t)u * m->n_steps];

		sum += l;
		time = l > time ? l : time;
	}
	sum = (sum + m->n_units - 1) / m->n_units;
	bound->time_ns = time > sum ? time : sum;
	if (rest->serial_ns > bound->time_ns)
		bound->time_ns = rest->serial_ns;
	if (!m->full_mw)
		return;
	for (uint32_t k = 0; k < m->n_packages; k++) {
		const struct machine_package *pkg = &m->packages[k];
		uint64_t awake = package_load(m, load, k);

		for (uint32_t u = pkg->first; u < pkg->last; u++)
			bound->energy_pj += unit_bound(m, &load[(size_t)u * m->n_steps], awake);
		bound->energy_pj += waking_mw(m, k) * awake + pkg->halt_mw * bound->time_ns;
	}
	bound->energy_pj += rest_awake(m, load, rest);
}
