/* SPDX-License-Identifier: MIT */
/* Time, energy and draw of one occurrence of a phase. */
#include <stdlib.h>

#include "verify/figures/recompute.h"

#define MAX_PS     1000000000000ull /* of a gap, a price */
#define MAX_SLOWER 1000000000ull    /* permille */

/* One evaluation, ns: members' work and what they wait at shared lines, what units have to do and until when. */
struct fluid {
	const struct moment *now;
	const struct span *s;
	uint64_t *key; /* of members their unit, of work under locks the lock */
	uint64_t *work, *held, *load, *until;
};

/* A side of a conflict: a thread that uses a line. */
struct side {
	size_t member;
	const struct vplatform_price *price;
	uint64_t count, gap, span; /* accesses; ps from one to the next, and from one that pays to the next */
	double active, times;      /* ps at the line; accesses of which one pays */
	uint64_t part, of;         /* of the time it has its core */
};

static uint64_t whole(double ps)
{
	return ps < (double)MAX_PS ? (uint64_t)ps : MAX_PS;
}

static const uint64_t gaps[VGAPS] = {2000, 6000, 20000, 60000, 200000};

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * What an access costs more if both threads come every @gap ps: measured
 * points joined by lines; before the first one the share of time at full rate,
 * but for loads, of which many are under way at once.
 */
static uint64_t even(const struct vplatform *f, const struct vplatform_price *p, int d, uint64_t gap)
{
	uint64_t x = p->alone_ps, y = vplatform_full_rate(p, d);
	uint64_t most = larger(f->transfer_ps[d], y);
	double share = x ? (double)y * (double)gap / (double)x : (double)y, part;
	bool known = gap <= x;

	for (int g = 0; gap > x && g < VGAPS; g++) {
		uint64_t extra = p->extra_ps[g][d], next = gap < gaps[g] ? gap : gaps[g];

		if (!extra || gaps[g] <= x)
			continue;
		known |= next == gaps[g] || p == &f->price[VACCESS_LOAD];
		part = (double)(next - x) / (double)(gaps[g] - x);
		y = (uint64_t)((double)y + part * ((double)extra - (double)y) + 0.5);
		most = larger(y, extra);
		x = next;
	}
	return known ? y : share < (double)most ? (uint64_t)share : most;
}

/* ps from one access of @s to the next, with what it waits for the line. */
static double period(const struct vplatform *f, int d, const struct side *s)
{
	uint64_t gap = larger(s->gap, s->price->alone_ps);

	return (double)gap + (double)even(f, s->price, d, gap);
}

/*
 * ps that an access of @own costs more.  Whoever comes more seldom than the other
 * finds the line gone more often than @alike, half the way to the worst gap; whoever
 * comes more often loses it for 1.6 transfers each time that the other comes.
 */
static double unequal(const struct vplatform *f, int d, const struct side *own, const struct side *other,
		      double alike)
{
	double ratio = period(f, d, own) / period(f, d, other), transfer = (double)f->transfer_ps[d], most;
	uint64_t worst = vplatform_full_rate(own->price, d);

	if (ratio > 1) {
		double near = (double)own->gap / transfer;

		for (int g = 0; g < VGAPS; g++)
			worst = larger(worst, own->price->extra_ps[g][d]);
		if ((double)worst <= alike)
			return alike;
		return alike + ((double)worst - alike) * 0.5 * (1 - 1 / ratio) * (near < 1 ? near : 1);
	}
	most = 1.6 * transfer * (double)larger(own->gap, own->price->alone_ps) / period(f, d, other);
	return alike < most ? alike : most;
}

/*
 * Sides that do unlike things disturb each other half as much at the full rate, and as
 * much from 80 ns on; stores beside loads only as far as a transfer takes 260 ns.
 */
static double unlike(const struct vplatform *f, int d, const struct side *own, const struct side *other)
{
	const struct vplatform_price *load = &f->price[VACCESS_LOAD], *store = &f->price[VACCESS_STORE];
	double far = (double)own->gap / 80000, seen = (double)f->transfer_ps[d] / 260000;
	double part = 0.5 + 0.5 * (far < 1 ? far : 1);

	if (own->price == other->price)
		return 1;
	if ((own->price == load || other->price == load) && (own->price == store || other->price == store))
		return seen < 1 ? seen * part : part;
	return part;
}

/* ps that an access of @own which pays costs more. */
static uint64_t extra_ps(const struct vplatform *f, int d, const struct side *own, const struct side *other)
{
	double price = own->gap ? (double)even(f, own->price, d, own->gap)
				: (double)vplatform_full_rate(own->price, d);

	if (f->transfer_ps[d] && own->gap && other->gap)
		price = unequal(f, d, own, other, price);
	price = (double)whole(own->times * (double)(uint64_t)(price * unlike(f, d, own, other)));
	return (uint64_t)(price * f->times[own->price - f->price][d] + 0.5);
}

/*
 * Accesses in the phases that both sides work in, at most one a cycle.  One of
 * the rarer side pays, for as many of its own as it makes while both are at
 * the line.  False if nobody pays.
 */
static bool find_sides(const struct fluid *v, const struct vmodel_conflict *c, struct side s[2])
{
	double active, least;

	for (int i = 0; i < 2; i++) {
		for (uint32_t p = v->s->first; p <= v->s->last; p++) {
			const struct vmodel_phase *ph = &v->s->model->phase[p];
			const struct vmodel_work *w = vmodel_work(ph, c->side[i].thread);
			double cycles = w ? (double)w->cycles : 0, n = c->side[i].rate * cycles / 1000.0;

			if (vmodel_work(ph, c->side[!i].thread) &&
			    (c->phase == VMODEL_NONE || c->phase == ph->index))
				s[i].count += (uint64_t)(n < cycles ? n + 0.5 : cycles);
		}
		s[i].member = span_find(v->s, c->side[i].thread);
		s[i].price = &v->now->f->price[c->side[i].kind];
		s[i].active = (double)s[i].count * c->side[i].gap * 1e9 / v->now->f->step[0].khz;
	}
	if (!s[0].count || !s[1].count ||
	    (c->side[0].kind == VACCESS_LOAD && c->side[1].kind == VACCESS_LOAD))
		return false;
	active = s[0].active < s[1].active ? s[0].active : s[1].active;
	least = (double)(s[0].count < s[1].count ? s[0].count : s[1].count);
	for (int i = 0; i < 2; i++) {
		double top_ps = (double)v->s->member[s[i].member].top_ns * 1000;

		s[i].gap = active > 0 ? whole(s[i].active / (double)s[i].count) : 0;
		s[i].gap = active > 0 && s[i].gap < s[i].price->alone_ps ? s[i].price->alone_ps : s[i].gap;
		s[i].times = s[i].gap ? active / least / (double)s[i].gap : 1;
		s[i].span = whole(active > 0 ? active / least : top_ps / (double)s[i].count);
	}
	return true;
}

/* Entries @first to @end with the same key take equal turns: the time until @i is through. */
static uint64_t through(const struct fluid *v, size_t i, size_t first, size_t end)
{
	uint64_t sum = 0;

	for (size_t k = first; k < end; k++)
		if (v->key[k] == v->key[i])
			sum += v->work[k] < v->work[i] ? v->work[k] : v->work[i];
	return sum;
}

/* ns that @n accesses of @own wait, if @other has its core for a part of the time only. */
static uint64_t held_up(wide n, uint64_t extra, const struct side *own, const struct side *other)
{
	uint64_t ns = (uint64_t)(n * extra / 1000), slower = own->span ? extra * 1000 / own->span : 0;
	wide rest = other->of > other->part ? other->of - other->part : 0;

	slower = slower < MAX_SLOWER ? slower : MAX_SLOWER;
	return rest ? (uint64_t)((wide)ns * other->of / (other->of + rest * slower / 1000)) : ns;
}

/*
 * Accesses pay that are made while the other side runs, too, of the side that
 * has fewer.  Threads that the system moves meet for @share of @others of the
 * time, at any distance: they pay the mean price.
 */
static void fluid_meet(const struct fluid *v, struct side s[2])
{
	const struct vplatform *f = v->now->f;
	bool heavy = s[0].member < v->s->n_heavy && s[1].member < v->s->n_heavy;
	uint64_t others = v->s->n_heavy > 1 ? v->s->n_heavy - 1 : 1;
	uint64_t share = f->n_units - 1 < others ? f->n_units - 1 : others, fixed[VDIST_N] = {0};
	wide a, b, n;

	for (int i = 0; i < 2; i++) {
		s[i].part = s[i].of = v->work[s[i].member];
		if (!v->now->moved)
			s[i].of = through(v, s[i].member, 0, heavy ? v->s->n_heavy : v->s->n);
	}
	a = (wide)s[0].count * s[1].part;
	b = (wide)s[1].count * s[0].part;
	n = s[0].of > s[1].of ? s[0].of : s[1].of;
	n = n ? (a < b ? a : b) / n : 0;
	fixed[vplatform_distance(f, (uint32_t)v->key[s[0].member], (uint32_t)v->key[s[1].member])] = 1;
	for (int i = 0; i < 2 && v->now->moved; i++) {
		s[i].part = 1000 * share;
		s[i].of = 1000 * others;
	}
	n = v->now->moved ? n * share / others : n;
	for (int i = 0; i < 2; i++) {
		const uint64_t *weight = v->now->moved ? f->apart : fixed;
		wide sum = 0, pairs = 0;

		for (int d = VDIST_SMT; d < VDIST_N; d++) {
			sum += weight[d] ? (wide)weight[d] * extra_ps(f, d, &s[i], &s[!i]) : 0;
			pairs += weight[d];
		}
		v->held[s[i].member] += pairs ? held_up(n, (uint64_t)(sum / pairs), &s[i], &s[!i]) : 0;
	}
}

/* A package's units are awake until all are through, but for their work at most; else it halts, if it can. */
static void add_package(const struct fluid *v, uint32_t k, struct vcost *c)
{
	const struct vplatform *f = v->now->f;
	uint64_t sum = 0, awake = 0, rest = f->package[k].rest_mw;
	bool halts = f->package[k].halts;

	for (uint32_t u = 0; u < f->n_cores; u++)
		if (f->core[u].package == k) {
			awake = v->until[u] > awake ? v->until[u] : awake;
			sum += v->load[u];
		}
	awake = !halts ? c->time : sum < awake ? sum : awake;
	c->energy += rest * (c->time - awake);
	c->draw += halts && !sum ? rest : 0;
	for (uint32_t u = 0; u < f->n_cores; u++) {
		const struct vplatform_step *step = &f->step[v->now->step[f->core[u].domain]];

		if (f->core[u].package != k || f->core[u].unit != u)
			continue;
		c->energy += step->busy_mw * v->load[u] + step->idle_mw * (awake - v->load[u]);
		if (sum || !halts)
			c->draw += v->load[u] ? step->busy_mw : step->idle_mw;
	}
}

static void add_members(struct fluid *v, struct vcost *c)
{
	const struct vplatform *f = v->now->f;
	size_t n = v->s->n, n_all = v->s->n_all;

	for (size_t i = 0; i < v->s->model->n_conflicts; i++) {
		struct side s[2] = {{0}, {0}};

		if (find_sides(v, &v->s->model->conflict[i], s))
			fluid_meet(v, s);
	}
	for (size_t i = 0; i < n_all; i++) {
		uint32_t unit = f->core[v->now->core[v->s->member[i].entry->thread]].unit;
		uint64_t until;

		v->load[unit] += i < n ? v->work[i] + v->held[i] : 0;
		until = i < n ? v->load[unit] : through(v, i, n, n_all);
		v->until[unit] = until > v->until[unit] ? until : v->until[unit];
		c->time = until > c->time ? until : c->time;
	}
}

struct vcost fluid_cost(const struct moment *now, const struct span *s)
{
	size_t n = s->n_all, cores = now->f->n_cores;
	struct fluid v = {.now = now, .s = s, .key = need(3 * n + 2 * cores, sizeof(*v.key))};
	struct vcost c = {0};

	v.work = v.key + n;
	v.held = v.work + n;
	v.load = v.held + n;
	v.until = v.load + cores;
	for (size_t i = 0; i < n; i++) {
		const struct vplatform_core *core = &now->f->core[now->core[s->member[i].entry->thread]];

		v.key[i] = i < s->n ? core->unit : s->member[i].entry->lock;
		v.work[i] = work_ns(now->f, &s->member[i], now->step[now->f->core[core->unit].domain]);
	}
	add_members(&v, &c);
	for (uint32_t k = 0; k < now->f->n_packages; k++)
		add_package(&v, k, &c);
	free(v.key);
	return c;
}
