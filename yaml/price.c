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
	bool known = false, loads = price == &p->price[PRICE_LOAD]; /* many of them are under way at once */

	if (gap <= x)
		return y;
	for (int g = 0; g < PRICE_GAPS; g++) {
		uint64_t extra = at_distance(price->extra_ps[g], distance);

		if (!extra || gaps_ps[g] <= x)
			continue;
		if (gap < gaps_ps[g])
			return known || loads ? between(x, y, gaps_ps[g], extra, gap)
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

/* The most that any gap costs. */
static uint64_t highest(const struct platform_price *price, enum platform_distance distance)
{
	uint64_t most = full_rate(price, distance);

	for (int g = 0; g < PRICE_GAPS; g++) {
		uint64_t extra = at_distance(price->extra_ps[g], distance);

		most = extra > most ? extra : most;
	}
	return most;
}

/* Between what two that come alike pay and the most that any gap costs. */
#define SELDOM_PART 0.5

/*
 * Who comes more seldom than the other finds the line gone nearly each time,
 * where two that come alike keep it for a few accesses each.  Not so who comes
 * so fast that the other has no time to take it.
 */
static double seldom(const struct platform *p, enum platform_distance distance,
		     const struct platform_visitor *own, double even, double ratio)
{
	double most = (double)highest(&p->price[own->kind], distance);
	double part = (double)own->gap_ps / (double)at_distance(p->transfer_ps, distance);

	if (most <= even)
		return even;
	return even + (most - even) * SELDOM_PART * (1 - 1 / ratio) * (part < 1 ? part : 1);
}

/*
 * Who comes more often loses the line once each time that the other comes: for a
 * transfer there and back, most of which is not waited for.
 */
#define LOSS_TRANSFERS 1.6

static double often(const struct platform *p, enum platform_distance distance,
		    const struct platform_visitor *own, const struct platform_visitor *other, double even)
{
	uint64_t alone = p->price[own->kind].alone_ps;
	double gap = (double)(own->gap_ps > alone ? own->gap_ps : alone);
	double most = LOSS_TRANSFERS * (double)at_distance(p->transfer_ps, distance) * gap /
		      slowed(p, distance, other);

	return even < most ? even : most;
}

/*
 * Prices are measured with two threads that do the same.  Two that do not get in
 * each other's way less: half as much at the full rate, as much from UNLIKE_PS on.
 * A store waits in a buffer and loads are under way by the dozen, which hides the
 * travel of a line unless that takes HIDDEN_PS.
 */
#define UNLIKE    0.5
#define UNLIKE_PS 80000.0
#define HIDDEN_PS 260000.0

static double unlike(const struct platform *p, enum platform_distance distance,
		     const struct platform_visitor *own, const struct platform_visitor *other)
{
	double far = (double)own->gap_ps / UNLIKE_PS, part = UNLIKE + (1 - UNLIKE) * (far < 1 ? far : 1);
	double seen = (double)at_distance(p->transfer_ps, distance) / HIDDEN_PS;
	bool loads = own->kind == PRICE_LOAD || other->kind == PRICE_LOAD;
	bool stores = own->kind == PRICE_STORE || other->kind == PRICE_STORE;

	if (own->kind == other->kind)
		return 1;
	return loads && stores && seen < 1 ? seen * part : part;
}

uint64_t platform_conflict_ps(const struct platform *p, enum platform_distance distance,
			      const struct platform_visitor *own, const struct platform_visitor *other)
{
	const struct platform_price *price = &p->price[own->kind];
	double even, ratio;

	if (!own->gap_ps)
		return (uint64_t)((double)full_rate(price, distance) * unlike(p, distance, own, other));
	even = (double)even_ps(p, price, distance, own->gap_ps);
	if (at_distance(p->transfer_ps, distance) && other->gap_ps) {
		ratio = slowed(p, distance, own) / slowed(p, distance, other);
		even = ratio > 1 ? seldom(p, distance, own, even, ratio)
				 : often(p, distance, own, other, even);
	}
	return (uint64_t)(even * unlike(p, distance, own, other));
}
