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

/* What of a transfer an access waits for at the least that finds the line with somebody who keeps on using it. */
#define TRAVEL_PART 0.6

/* The most that any gap costs: the line has to come from the other core, and nothing hides that. */
static uint64_t highest(const struct platform *p, const struct platform_price *price,
			enum platform_distance distance)
{
	uint64_t full = full_rate(price, distance);
	uint64_t travel = (uint64_t)(TRAVEL_PART * (double)at_distance(p->transfer_ps, distance));
	uint64_t most = full > travel ? full : travel;

	for (int g = 0; g < PRICE_GAPS; g++) {
		uint64_t extra = at_distance(price->extra_ps[g], distance);

		most = extra > most ? extra : most;
	}
	return most;
}

/*
 * Who comes more seldom than the other finds the line gone nearly each time,
 * where two that come alike keep it for a few accesses each.  Not so who comes
 * so fast that the other has no time to take it.
 */
static double seldom(const struct platform *p, enum platform_distance distance,
		     const struct platform_visitor *own, double even, double ratio)
{
	double most = (double)highest(p, &p->price[own->kind], distance);
	double part = 4 * (double)own->gap_ps / (double)at_distance(p->transfer_ps, distance);

	return most > even ? even + (most - even) * (1 - 1 / ratio) * (part < 1 ? part : 1) : even;
}

uint64_t platform_conflict_ps(const struct platform *p, enum platform_distance distance,
			      const struct platform_visitor *own, const struct platform_visitor *other)
{
	const struct platform_price *price = &p->price[own->kind];
	uint64_t even, transfer = at_distance(p->transfer_ps, distance);
	double most, ratio;

	if (!own->gap_ps)
		return full_rate(price, distance);
	even = even_ps(p, price, distance, own->gap_ps);
	if (!transfer || !other->gap_ps)
		return even;
	ratio = slowed(p, distance, own) / slowed(p, distance, other);
	if (ratio > 1)
		return (uint64_t)seldom(p, distance, own, (double)even, ratio);
	most = (double)transfer * ratio;
	return (double)even < most ? even : (uint64_t)most;
}
