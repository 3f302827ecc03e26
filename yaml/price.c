/* SPDX-License-Identifier: MIT */
/*
 * What an access to a shared line costs.  The measured points are joined by
 * lines: from the full rate, where an access follows the next at once, over
 * the gaps of extra_ps to the longest, beyond which the price stays.
 */
#include "yaml/platform.h"

static const uint64_t gaps_ps[PRICE_GAPS] = {2000, 6000, 20000, 60000, 200000};

uint64_t platform_gap_ps(uint32_t g)
{
	return g < PRICE_GAPS ? gaps_ps[g] : gaps_ps[PRICE_GAPS - 1];
}

/* The value at a distance; a missing one is taken from the next farther, else the next nearer. */
static uint64_t at_distance(const uint64_t by_distance[DIST_N], enum platform_distance distance)
{
	for (int d = distance; d < DIST_N; d++)
		if (by_distance[d])
			return by_distance[d];
	for (int d = (int)distance - 1; d > DIST_SAME; d--)
		if (by_distance[d])
			return by_distance[d];
	return 0;
}

static uint64_t full_rate(const struct platform_price *price, enum platform_distance distance)
{
	uint64_t shared = at_distance(price->shared_ps, distance);

	return shared > price->alone_ps ? shared - price->alone_ps : 0;
}

static uint64_t between(uint64_t x0, uint64_t y0, uint64_t x1, uint64_t y1, uint64_t x)
{
	double part = x1 > x0 ? (double)(x - x0) / (double)(x1 - x0) : 0;

	return (uint64_t)((double)y0 + part * ((double)y1 - (double)y0) + 0.5);
}

/*
 * Next to the full rate a thread keeps the line for a while and loses it for a
 * while, whatever it does meanwhile: it is held up for the same share of its
 * time, up to @most an access.
 */
static uint64_t same_share(const struct platform_price *price, enum platform_distance distance, uint64_t gap,
			   uint64_t most)
{
	double first = (double)full_rate(price, distance);
	double ps = price->alone_ps ? first * (double)gap / (double)price->alone_ps : first;

	return ps < (double)most ? (uint64_t)ps : most;
}

/* A platform file without gaps: no access waits for longer than a transfer takes. */
static uint64_t held_up(const struct platform *p, const struct platform_price *price,
			enum platform_distance distance, uint64_t gap)
{
	uint64_t first = full_rate(price, distance), most = at_distance(p->transfer_ps, distance);

	return same_share(price, distance, gap, most > first ? most : first);
}

/* Before the first gap @next, which costs @extra. */
static uint64_t before(const struct platform_price *price, enum platform_distance distance, uint64_t next,
		       uint64_t extra, uint64_t gap)
{
	uint64_t line = between(price->alone_ps, full_rate(price, distance), next, extra, gap);

	return same_share(price, distance, gap, line > extra ? line : extra);
}

/* Both threads come every @gap. */
static uint64_t even_ps(const struct platform *p, const struct platform_price *price,
			enum platform_distance distance, uint64_t gap)
{
	uint64_t x = price->alone_ps, y = full_rate(price, distance);
	bool known = false;

	if (gap <= x)
		return y;
	for (int g = 0; g < PRICE_GAPS; g++) {
		uint64_t extra = at_distance(price->extra_ps[g], distance);

		if (!extra || gaps_ps[g] <= x)
			continue;
		if (gap < gaps_ps[g])
			return known ? between(x, y, gaps_ps[g], extra, gap)
				     : before(price, distance, gaps_ps[g], extra, gap);
		x = gaps_ps[g];
		y = extra;
		known = true;
	}
	return known ? y : held_up(p, price, distance, gap);
}

/* Its time from one access to the next, with what it waits for the line. */
static double slowed(const struct platform *p, enum platform_distance distance,
		     const struct platform_visitor *v)
{
	const struct platform_price *price = &p->price[v->kind];
	uint64_t gap = v->gap_ps > price->alone_ps ? v->gap_ps : price->alone_ps;

	return (double)gap + (double)even_ps(p, price, distance, gap);
}

uint64_t platform_conflict_ps(const struct platform *p, enum platform_distance distance,
			      const struct platform_visitor *own, const struct platform_visitor *other)
{
	const struct platform_price *price = &p->price[own->kind];
	uint64_t even, transfer = at_distance(p->transfer_ps, distance);
	double most;

	if (!own->gap_ps)
		return full_rate(price, distance);
	even = even_ps(p, price, distance, own->gap_ps);
	if (!transfer || !other->gap_ps)
		return even;
	most = (double)transfer * slowed(p, distance, own) / slowed(p, distance, other);
	return (double)even < most ? even : (uint64_t)most;
}

/* A gap of a second is as good as none. */
#define MAX_GAP_PS 1e12

/* What an access costs more in the mean if the other runs for a share of the time and slows it by @slow. */
static double in_part(double extra, double slow, double together)
{
	return together > 0 ? extra * together / (together + (1 - together) * slow) : 0;
}

/* Mean extra price where both come every @gap and run together for a share of the time, ps. */
static double mean_extra(const struct platform *p, enum platform_distance distance, enum price_access kind,
			 uint64_t gap, double together)
{
	struct platform_visitor v = {kind, gap};
	double extra = (double)platform_conflict_ps(p, distance, &v, &v);

	return in_part(extra, 1 + extra / (double)(gap ? gap : 1), together);
}

/* The gap without waiting, of a gap with it: each access waits as long as it would have to at that gap. */
static uint64_t without_wait(const struct platform *p, enum platform_distance distance,
			     enum price_access kind, uint64_t gap, double together)
{
	uint64_t lo = 0, hi = gap;

	while (hi - lo > 1 + gap / 1000) {
		uint64_t middle = lo + (hi - lo) / 2;

		if ((double)middle + mean_extra(p, distance, kind, middle, together) > (double)gap)
			hi = middle;
		else
			lo = middle;
	}
	return hi;
}

static struct platform_visitor visitor(const struct platform *p, enum platform_distance distance,
				       const struct platform_use *u, double together)
{
	double ps = u->visits > 0 ? u->active_ns / u->visits * 1000 : 0;
	struct platform_visitor v = {u->kind, ps < MAX_GAP_PS ? (uint64_t)ps : (uint64_t)MAX_GAP_PS};

	if (!v.gap_ps)
		return v;
	if (u->gap_waits)
		v.gap_ps = without_wait(p, distance, v.kind, v.gap_ps, together);
	if (v.gap_ps < p->price[v.kind].alone_ps)
		v.gap_ps = p->price[v.kind].alone_ps;
	return v;
}

/* For how long it is at the line. */
static double active_of(const struct platform_use *u, const struct platform_visitor *v)
{
	double least = u->visits * (double)v->gap_ps / 1000;

	return u->active_waits || u->gap_waits || u->active_ns > least ? u->active_ns : least;
}

/* Without gaps: as at full rate, and no more can meet than the rarer side makes. */
static void clash_at_full_rate(const struct platform_use *own, const struct platform_use *other,
			       struct platform_clash *c)
{
	c->visits = own->visits < other->visits ? own->visits : other->visits;
	if (own->work_ns > 0)
		c->slow = 1 + c->visits * c->extra_ns / own->work_ns;
}

void platform_clash(const struct platform *p, enum platform_distance distance, const struct platform_use *own,
		    const struct platform_use *other, double together, struct platform_clash *c)
{
	double both, other_active, mean, gap;

	*c = (struct platform_clash){.own = visitor(p, distance, own, together),
				     .other = visitor(p, distance, other, together),
				     .slow = 1};
	if (!c->own.gap_ps || !c->other.gap_ps)
		c->own.gap_ps = c->other.gap_ps = 0;
	c->extra_ns = (double)platform_conflict_ps(p, distance, &c->own, &c->other) / 1000;
	gap = (double)c->own.gap_ps / 1000;
	if (gap <= 0) {
		clash_at_full_rate(own, other, c);
		c->stall_ns = c->visits * in_part(c->extra_ns, c->slow, together);
		return;
	}
	c->slow = 1 + c->extra_ns / gap;
	mean = in_part(c->extra_ns, c->slow, together);
	both = active_of(own, &c->own);
	other_active = active_of(other, &c->other);
	both = both < other_active ? both : other_active;
	c->visits = both / (gap + (own->active_waits || own->gap_waits ? mean : 0));
	c->stall_ns = c->visits * mean;
}

enum platform_distance platform_usual_distance(const struct platform *p)
{
	enum platform_distance best = DIST_SAME;
	uint64_t count[DIST_N] = {0};

	for (uint32_t a = 0; a < p->n_cores; a++)
		for (uint32_t b = a + 1; b < p->n_cores; b++)
			if (p->cores[a].usable && p->cores[b].usable)
				count[platform_distance(p, a, b)]++;
	for (int d = DIST_SMT; d < DIST_N; d++)
		if (count[d] > (best == DIST_SAME ? 0 : count[best]))
			best = (enum platform_distance)d;
	return best;
}
