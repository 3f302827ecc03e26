/* SPDX-License-Identifier: MIT */
/* Time, energy and draw of one occurrence of a phase. */
#include <stdlib.h>

#include "verify/figures/recompute.h"

#define MAX_PS     1000000000000ull /* of a gap, a price */
#define MAX_SLOWER 1000000000ull    /* permille */
#define ALL        (1ull << 32)     /* of the time that a thread runs */

/* Of a thread's time: in common with others on a core, and lost to them. */
struct share {
	uint64_t part, lost; /* of ALL */
};

/* One evaluation, ns: members' work and what they wait at shared lines, what units have to do and until when. */
struct fluid {
	const struct moment *now;
	const struct span *s;
	uint64_t *key; /* of members their unit, of work under locks the lock */
	uint64_t *work, *held, *load, *until;
	struct share *share; /* by member and the others' unit */
};

/* A side of a conflict: a thread that uses a line. */
struct side {
	size_t member;
	const struct vplatform_price *price;
	uint64_t count, gap, span; /* accesses; ps from one to the next, and from one that pays to the next */
	double active, times;      /* ps at the line; accesses of which one pays */
	uint64_t part, of;         /* of the time it has its core */
	uint64_t extra,
		slower; /* ps that an access costs more; permille that all lines of the two make slower */
	uint64_t by_distance[VDIST_N]; /* the same, if the two were so far apart */
	struct share taken;            /* of its time, by the other side */
};

/* A conflict whose sides run at the same time. */
struct meeting {
	struct side s[2];
	wide n;        /* accesses that pay */
	size_t before; /* the meeting before it of the same first member, 1 + its number; 0: none */
	size_t pair;   /* the first meeting between the same two */
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
			double cycles = w ? (double)w->cycles : 0;
			double n = c->side[i].rate * vmodel_density(v->s->model, c, i, ph) * cycles / 1000.0;

			if (vmodel_work(ph, c->side[!i].thread))
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

/* The part of the time of @own in which @other runs, and what of it is lost. */
static struct share share_of(const struct side *own, uint64_t part, uint64_t of)
{
	uint64_t r = part < of ? (uint64_t)(((wide)part << 32) / of) : ALL;

	return (struct share){r, r * own->slower / (1000 + own->slower)};
}

/*
 * ns that @n accesses of @own wait, if @other has its core for a part of the time
 * only; @others: what those take who have it for the rest of the time.
 */
static uint64_t held_up(wide n, const struct side *own, const struct side *other, struct share others)
{
	uint64_t ns = (uint64_t)(n * own->extra / 1000);
	wide rest = other->of > other->part ? other->of - other->part : 0;
	uint64_t left = ALL - share_of(own, other->part, other->of).part;
	wide longer = other->of + rest * own->slower / 1000, less;

	if (!others.lost || !left)
		return rest && own->slower ? (uint64_t)((wide)ns * other->of / longer) : ns;
	if (others.part > left)
		others.lost = (uint64_t)((wide)others.lost * left / others.part);
	less = (((wide)other->of * (1000 + own->slower) / 1000) * others.lost) >> 32;
	longer = longer > less + other->part ? longer - less : other->part;
	return longer ? (uint64_t)((wide)ns * other->of / longer) : 0;
}

/* The mean over all ordered pairs of different units, or what is at @d. */
static uint64_t at_distance(const struct fluid *v, int d, const uint64_t by_distance[VDIST_N])
{
	const struct vplatform *f = v->now->f;
	wide sum = 0, pairs = 0;

	if (!v->now->moved)
		return by_distance[d];
	for (int i = VDIST_SMT; i < VDIST_N; i++) {
		sum += (wide)f->apart[i] * by_distance[i];
		pairs += f->apart[i];
	}
	return pairs ? (uint64_t)(sum / pairs) : 0;
}

static int distance_of(const struct fluid *v, const struct meeting *m)
{
	return vplatform_distance(v->now->f, (uint32_t)v->key[m->s[0].member],
				  (uint32_t)v->key[m->s[1].member]);
}

/* What each side pays for an access, and how much slower this line makes it.  False if nobody pays. */
static bool find_prices(const struct fluid *v, struct meeting *m)
{
	int d = distance_of(v, m);

	for (int i = 0; i < 2; i++) {
		struct side *own = &m->s[i];
		uint64_t extra[VDIST_N] = {0};

		for (int k = VDIST_SMT; k < VDIST_N; k++) {
			uint64_t slower;

			extra[k] = extra_ps(v->now->f, k, own, &m->s[!i]);
			slower = own->span ? extra[k] * 1000 / own->span : 0;
			own->by_distance[k] = slower < MAX_SLOWER ? slower : MAX_SLOWER;
		}
		own->extra = at_distance(v, d, extra);
	}
	return v->now->moved || (d != VDIST_SAME && (m->s[0].extra || m->s[1].extra));
}

/*
 * Accesses pay that are made while the other side runs, too, of the side that
 * has fewer.  Threads that the system moves meet for @share of @others of the
 * time, at any distance: they pay the mean price.
 */
static void find_turns(const struct fluid *v, struct meeting *m)
{
	bool heavy = m->s[0].member < v->s->n_heavy && m->s[1].member < v->s->n_heavy;
	uint64_t others = v->s->n_heavy > 1 ? v->s->n_heavy - 1 : 1;
	uint64_t share = v->now->f->n_units - 1 < others ? v->now->f->n_units - 1 : others;
	wide a, b, n;

	for (int i = 0; i < 2; i++) {
		struct side *own = &m->s[i];

		own->part = own->of = v->work[own->member];
		if (!v->now->moved)
			own->of = through(v, own->member, 0, heavy ? v->s->n_heavy : v->s->n);
	}
	a = (wide)m->s[0].count * m->s[1].part;
	b = (wide)m->s[1].count * m->s[0].part;
	n = m->s[0].of > m->s[1].of ? m->s[0].of : m->s[1].of;
	m->n = n ? (a < b ? a : b) / n : 0;
	for (int i = 0; i < 2 && v->now->moved; i++) {
		m->s[i].part = 1000 * share;
		m->s[i].of = 1000 * others;
	}
	m->n = v->now->moved ? m->n * share / others : m->n;
}

/* The meetings of the conflicts; those between the same two add up to one time that is lost.  *@n of them. */
static struct meeting *find_meetings(const struct fluid *v, size_t *n)
{
	struct meeting *m = need(v->s->model->n_conflicts + 1, sizeof(*m));
	size_t *last = need(v->s->n + 1, sizeof(*last)), k = 0;

	for (size_t i = 0; i < v->s->model->n_conflicts; i++) {
		size_t pair;

		m[k] = (struct meeting){.pair = k};
		if (!find_sides(v, &v->s->model->conflict[i], m[k].s) || !find_prices(v, &m[k]))
			continue;
		find_turns(v, &m[k]);
		m[k].before = last[m[k].s[0].member];
		for (pair = m[k].before; pair && m[pair - 1].s[1].member != m[k].s[1].member;)
			pair = m[pair - 1].before;
		if (pair)
			m[k].pair = m[pair - 1].pair;
		last[m[k].s[0].member] = k + 1;
		for (int e = 0; e < 2 && pair; e++)
			for (int d = 0; d < VDIST_N; d++) {
				uint64_t *sum = &m[m[k].pair].s[e].by_distance[d];

				*sum += m[k].s[e].by_distance[d];
				*sum = *sum < MAX_SLOWER ? *sum : MAX_SLOWER;
			}
		k++;
	}
	free(last);
	*n = k;
	return m;
}

/* Where the shares of side @e are added up: all others, or those on the other side's unit. */
static struct share *share_at(const struct fluid *v, const struct meeting *m, int e)
{
	size_t unit = v->now->moved ? 0 : v->key[m->s[!e].member];

	return &v->share[m->s[e].member * v->now->f->n_cores + unit];
}

static void fluid_meet(const struct fluid *v, struct meeting *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (int e = 0; e < 2; e++) {
			struct side *own = &m[i].s[e], *other = &m[i].s[!e];

			own->slower = at_distance(v, distance_of(v, &m[i]), m[m[i].pair].s[e].by_distance);
			own->taken = share_of(own, v->now->moved ? 1000 : other->part, other->of);
			if (m[i].pair != i)
				continue;
			share_at(v, &m[i], e)->part += own->taken.part;
			share_at(v, &m[i], e)->lost += own->taken.lost;
		}
	for (size_t i = 0; i < n; i++)
		for (int e = 0; e < 2; e++) {
			const struct side *own = &m[i].s[e];
			struct share others = *share_at(v, &m[i], e);

			others.part -= own->taken.part;
			others.lost -= own->taken.lost;
			v->held[own->member] += held_up(m[i].n, own, &m[i].s[!e], others);
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
	size_t n = v->s->n, n_all = v->s->n_all, n_meetings;
	struct meeting *m = find_meetings(v, &n_meetings);

	fluid_meet(v, m, n_meetings);
	free(m);
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
	v.share = need(n * cores + 1, sizeof(*v.share));
	add_members(&v, &c);
	free(v.share);
	for (uint32_t k = 0; k < now->f->n_packages; k++)
		add_package(&v, k, &c);
	free(v.key);
	return c;
}
