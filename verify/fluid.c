/* SPDX-License-Identifier: MIT */
/* Time, energy and draw of one occurrence of a phase. */
#include <stdlib.h>

#include "verify/recompute.h"

#define MAX_PS     1000000000000ull /* of a gap, a price */
#define MAX_SLOWER 1000000000ull    /* permille */

/* One evaluation: what members work and wait at shared lines, and what units have to do, ns. */
struct fluid {
	struct run *x;
	const struct span *s;
	uint64_t *work, *held, *load;
};

/* A side of a conflict in this phase. */
struct side {
	size_t member;
	uint32_t kind;
	uint64_t count, through; /* accesses; until it is through, ns */
	double active;           /* how long it is at the line, ps; 0: not known */
	uint64_t gap, span;      /* ps from access to access, and from one that pays to the next */
	uint64_t extra[VDIST_N]; /* ps an access that pays costs more */
};

static uint32_t unit_of(const struct fluid *v, size_t member)
{
	return v->x->platform->core[v->x->core[v->s->member[member].thread]].unit;
}

/* The first @n members of a unit take equal turns: the time until @i is through. */
static uint64_t through(const struct fluid *v, size_t i, size_t n)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < n; k++)
		if (unit_of(v, k) == unit_of(v, i))
			sum += v->work[k] < v->work[i] ? v->work[k] : v->work[i];
	return sum;
}

/* Accesses in a phase of the model, rounded, at most one a cycle; -1 if the thread is not there. */
static int64_t accesses(const struct vmodel_phase *ph, const struct vmodel_side *side)
{
	for (size_t i = 0; i < ph->n_work; i++) {
		double cycles = (double)ph->work[i].cycles, n = side->rate * cycles / 1000.0;

		if (ph->work[i].thread == side->thread)
			return (int64_t)(n < cycles ? n + 0.5 : cycles);
	}
	return -1;
}

/* Find a conflict's sides in this phase; false if it costs nothing here. */
static bool find_sides(const struct fluid *v, const struct vmodel_conflict *c, struct side side[2])
{
	static const uint32_t kinds[] = {VACCESS_LOAD, VACCESS_STORE, VACCESS_RMW, VACCESS_ATOMIC};

	for (uint32_t p = v->s->first; p <= v->s->last; p++) {
		const struct vmodel_phase *ph = &v->x->model->phase[p];
		int64_t a = accesses(ph, &c->side[0]), b = accesses(ph, &c->side[1]);
		bool counts = a >= 0 && b >= 0 && (c->phase == VMODEL_NONE || c->phase == ph->index);

		side[0].count += counts ? (uint64_t)a : 0;
		side[1].count += counts ? (uint64_t)b : 0;
	}
	for (int i = 0; i < 2 && side[0].count && side[1].count; i++) {
		while (v->s->member[side[i].member].thread != c->side[i].thread)
			side[i].member++;
		side[i].kind = kinds[c->side[i].kind];
		side[i].active = (double)side[i].count * c->side[i].gap * 1e9 / v->x->platform->step[0].khz;
	}
	return side[0].count && side[1].count &&
	       (c->side[0].kind != VUSE_LOAD || c->side[1].kind != VUSE_LOAD);
}

static uint64_t whole(double ps)
{
	return ps < (double)MAX_PS ? (uint64_t)ps : MAX_PS;
}

/* An access of the rarer side pays, for as many of its own as it makes while both are at the line. */
static void price_side(const struct fluid *v, struct side *own, struct side *other)
{
	double least = (double)(own->count < other->count ? own->count : other->count), times = 1;
	double active = own->active < other->active ? own->active : other->active;
	const uint64_t alone[2] = {v->x->platform->price[own->kind].alone_ps,
				   v->x->platform->price[other->kind].alone_ps};

	own->gap = active > 0 ? whole(own->active / (double)own->count) : 0;
	own->gap = active > 0 && own->gap < alone[0] ? alone[0] : own->gap;
	other->gap = active > 0 ? whole(other->active / (double)other->count) : 0;
	other->gap = active > 0 && other->gap < alone[1] ? alone[1] : other->gap;
	if (active > 0 && own->gap)
		times = active / least / (double)own->gap;
	own->span = whole(active > 0 ? active / least
				     : (double)v->s->member[own->member].top_ns * 1000 / (double)own->count);
	for (int d = VDIST_SMT; d < VDIST_N; d++)
		own->extra[d] = whole(times * (double)line_price(v->x->platform, d, own->kind, own->gap,
								 other->kind, other->gap));
}

/* ns that @n accesses wait, if the other side has its core for @part / @of of the time. */
static uint64_t held_up(uint64_t n, uint64_t extra_ps, uint64_t span_ps, uint64_t part, uint64_t of)
{
	uint64_t ns = (uint64_t)((wide)n * extra_ps / 1000), slower = span_ps ? extra_ps * 1000 / span_ps : 0;

	slower = slower < MAX_SLOWER ? slower : MAX_SLOWER;
	if (part >= of)
		return ns;
	return (uint64_t)((wide)ns * of / (of + (wide)(of - part) * slower / 1000));
}

/* Accesses that pay: those made while the other side runs, too, of the side that has fewer. */
static uint64_t paid(const struct side *a, const struct side *b, uint64_t work_a, uint64_t work_b)
{
	uint64_t longer = a->through > b->through ? a->through : b->through;
	wide x = (wide)a->count * work_b, y = (wide)b->count * work_a;

	return longer ? (uint64_t)((x < y ? x : y) / longer) : 0;
}

/* The system moves the threads: they meet for a share of the time, at the mean distance. */
static void meet_by_chance(struct fluid *v, struct side s[2])
{
	const struct vplatform *f = v->x->platform;
	uint64_t others = v->s->n_heavy > 1 ? v->s->n_heavy - 1 : 1, n;
	uint64_t part = f->n_units - 1 < others ? f->n_units - 1 : others;

	s[0].through = v->work[s[0].member];
	s[1].through = v->work[s[1].member];
	n = (uint64_t)((wide)paid(&s[0], &s[1], s[0].through, s[1].through) * part / others);
	for (int i = 0; i < 2; i++) {
		wide sum = 0;

		for (int d = 0; d < VDIST_N; d++)
			sum += (wide)s[i].extra[d] * f->apart[d];
		sum = f->n_units > 1 ? sum / (f->n_units * (f->n_units - 1)) : 0;
		v->held[s[i].member] += held_up(n, (uint64_t)sum, s[i].span, 1000 * part, 1000 * others);
	}
}

static void meet_in_turn(struct fluid *v, struct side s[2], uint32_t ua, uint32_t ub)
{
	bool heavy = v->s->member[s[0].member].heavy && v->s->member[s[1].member].heavy;
	int d = vplatform_distance(v->x->platform, ua, ub);
	uint64_t n;

	for (int i = 0; i < 2; i++)
		s[i].through = through(v, s[i].member, heavy ? v->s->n_heavy : v->s->n);
	n = paid(&s[0], &s[1], v->work[s[0].member], v->work[s[1].member]);
	for (int i = 0; i < 2; i++)
		v->held[s[i].member] +=
			held_up(n, s[i].extra[d], s[i].span, v->work[s[!i].member], s[!i].through);
}

static void add_conflicts(struct fluid *v)
{
	for (size_t i = 0; i < v->x->model->n_conflicts; i++) {
		struct side s[2] = {{0}, {0}};
		uint32_t ua, ub;

		if (!find_sides(v, &v->x->model->conflict[i], s))
			continue;
		price_side(v, &s[0], &s[1]);
		price_side(v, &s[1], &s[0]);
		ua = unit_of(v, s[0].member);
		ub = unit_of(v, s[1].member);
		if (v->x->moved)
			meet_by_chance(v, s);
		else if (ua != ub)
			meet_in_turn(v, s, ua, ub);
	}
}

bool package_halts(const struct vplatform *f, uint32_t k, uint64_t *units, uint64_t *halt_mw)
{
	uint64_t idle = f->step[0].idle_mw;
	bool whole_package = true;

	*units = 0;
	for (size_t s = 0; s < f->n_steps; s++)
		idle = f->step[s].idle_mw < idle ? f->step[s].idle_mw : idle;
	for (uint32_t u = 0; u < f->n_cores; u++) {
		*units += f->core[u].package == k && f->core[u].unit == u;
		whole_package &= f->core[u].package != k || f->core[u].usable;
	}
	*halt_mw = *units * idle;
	if (!f->can_halt || !f->energy_known || !whole_package || f->halt_mw > *halt_mw)
		return false;
	*halt_mw = f->halt_mw;
	return true;
}

/* A package's units are awake while one of them works; then it halts, if it can. */
static void add_package(struct fluid *v, uint32_t k, struct vcost *c)
{
	const struct vplatform *f = v->x->platform;
	uint64_t longest = 0, units, halt_mw, awake;
	bool halts = package_halts(f, k, &units, &halt_mw);

	for (uint32_t u = 0; u < f->n_cores; u++)
		if (f->core[u].package == k && v->load[u] > longest)
			longest = v->load[u];
	awake = halts ? longest : c->time;
	c->energy += halts ? halt_mw * (c->time - awake) : 0;
	c->draw += halts && !longest ? halt_mw : 0;
	v->x->states += (wide)units * (c->time - awake);
	for (uint32_t u = 0; u < f->n_cores; u++) {
		const struct vplatform_step *step = &f->step[v->x->step[f->core[u].domain]];

		if (f->core[u].package != k || f->core[u].unit != u)
			continue;
		c->energy += step->busy_mw * v->load[u] + step->idle_mw * (awake - v->load[u]);
		v->x->states += v->load[u] + (awake - v->load[u]);
		if (longest || !halts)
			c->draw += v->load[u] ? step->busy_mw : step->idle_mw;
	}
}

struct vcost fluid_cost(struct run *x, const struct span *s)
{
	struct fluid v = {x, s, need(s->n, 8), need(s->n, 8), need(x->platform->n_cores, 8)};
	struct vcost c = {0};

	x->states = 0;
	for (size_t i = 0; i < s->n; i++)
		v.work[i] = work_ns(x->platform, &s->member[i],
				    x->step[x->platform->core[unit_of(&v, i)].domain]);
	add_conflicts(&v);
	for (size_t i = 0; i < s->n; i++)
		v.load[unit_of(&v, i)] += v.work[i] + v.held[i];
	for (uint32_t u = 0; u < x->platform->n_cores; u++)
		c.time = v.load[u] > c.time ? v.load[u] : c.time;
	for (uint32_t k = 0; k < x->platform->n_packages; k++)
		add_package(&v, k, &c);
	free(v.work);
	free(v.held);
	free(v.load);
	return c;
}
