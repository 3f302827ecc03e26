/* SPDX-License-Identifier: MIT */
/*
 * What an access to a shared line costs more: measured points joined by lines.
 * The operations on doubles are the ones that the rule names, in its order.
 */
#include "verify/recompute.h"

static const uint64_t gaps[VGAPS] = {2000, 6000, 20000, 60000, 200000}; /* ps */

/* The value at a distance; a missing one is taken from the next farther, else the next nearer. */
static uint64_t at(const uint64_t value[VDIST_N], int distance)
{
	for (int d = distance; d < VDIST_N; d++)
		if (value[d])
			return value[d];
	for (int d = distance - 1; d > VDIST_SAME; d--)
		if (value[d])
			return value[d];
	return 0;
}

static uint64_t full_rate(const struct vplatform_price *p, int d)
{
	return at(p->shared_ps, d) > p->alone_ps ? at(p->shared_ps, d) - p->alone_ps : 0;
}

/* The same share of the time as at full rate, at most @most. */
static uint64_t same_share(const struct vplatform_price *p, int d, uint64_t gap, uint64_t most)
{
	double first = (double)full_rate(p, d);
	double ps = p->alone_ps ? first * (double)gap / (double)p->alone_ps : first;

	return ps < (double)most ? (uint64_t)ps : most;
}

static uint64_t on_line(uint64_t x0, uint64_t y0, uint64_t x1, uint64_t y1, uint64_t x)
{
	double part = x1 > x0 ? (double)(x - x0) / (double)(x1 - x0) : 0;

	return (uint64_t)((double)y0 + part * ((double)y1 - (double)y0) + 0.5);
}

/* Both threads come every @gap. */
static uint64_t even(const struct vplatform *f, const struct vplatform_price *p, int d, uint64_t gap)
{
	uint64_t x = p->alone_ps, first = full_rate(p, d), y = first, most = at(f->transfer_ps, d);
	bool known = false;

	for (int g = 0; gap > p->alone_ps && g < VGAPS; g++) {
		uint64_t extra = at(p->extra_ps[g], d), line;

		if (!extra || gaps[g] <= x)
			continue;
		line = gap < gaps[g] ? on_line(x, y, gaps[g], extra, gap) : 0;
		if (gap < gaps[g])
			return known ? line : same_share(p, d, gap, line > extra ? line : extra);
		x = gaps[g];
		y = extra;
		known = true;
	}
	return known || gap <= p->alone_ps ? y : same_share(p, d, gap, most > first ? most : first);
}

/* From one access to the next, waiting included. */
static double slowed(const struct vplatform *f, int d, uint32_t kind, uint64_t gap)
{
	const struct vplatform_price *p = &f->price[kind];
	uint64_t least = gap > p->alone_ps ? gap : p->alone_ps;

	return (double)least + (double)even(f, p, d, least);
}

uint64_t line_price(const struct vplatform *f, int d, uint32_t own, uint64_t own_gap, uint32_t other,
		    uint64_t other_gap)
{
	uint64_t price, transfer = at(f->transfer_ps, d);
	double most;

	if (!own_gap)
		return full_rate(&f->price[own], d);
	price = even(f, &f->price[own], d, own_gap);
	if (!transfer || !other_gap)
		return price;
	/* Nobody pays more often than the other comes. */
	most = (double)transfer * slowed(f, d, own, own_gap) / slowed(f, d, other, other_gap);
	return (double)price < most ? price : (uint64_t)most;
}
