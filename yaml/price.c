/* SPDX-License-Identifier: MIT */
/*
 * What an access to a shared line costs.  The measured points are joined by
 * lines: from the full rate, where an access follows the next at once, over
 * the gaps of extra_ps to the longest, beyond which the price stays.
 */
#include "yaml/platform.h"

static const uint64_t gaps_ps[PRICE_GAPS] = {2000, 6000, 20000, 60000, 200000};
static const uint64_t beside_ps[BESIDE_GAPS] = {0, 2000, 20000, 60000, 200000};

uint64_t platform_gap_ps(uint32_t g)
{
	return g < PRICE_GAPS ? gaps_ps[g] : gaps_ps[PRICE_GAPS - 1];
}

uint64_t platform_beside_ps(uint32_t g)
{
	return g < BESIDE_GAPS ? beside_ps[g] : beside_ps[BESIDE_GAPS - 1];
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
 * while, whatever it does meanwhile: it is stalled for the same share of its
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
static uint64_t price_before(const struct platform_price *price, enum platform_distance distance,
			     uint64_t next, uint64_t extra, uint64_t gap)
{
	uint64_t line = between(price->alone_ps, full_rate(price, distance), next, extra, gap);

	return same_share(price, distance, gap, line > extra ? line : extra);
}

/* Both threads come every @gap. */
static uint64_t even_ps(const struct platform *p, const struct platform_price *price,
			enum platform_distance distance, uint64_t gap)
{
	uint64_t x = price->alone_ps, y = full_rate(price, distance);
	bool known = false,
	     loads = price == &p->price[PRS_KIND_LOAD]; /* many of them are under way at once */

	if (gap <= x)
		return y;
	for (int g = 0; g < PRICE_GAPS; g++) {
		uint64_t extra = at_distance(price->extra_ps[g], distance);

		if (!extra || gaps_ps[g] <= x)
			continue;
		if (gap < gaps_ps[g])
			return known || loads ? between(x, y, gaps_ps[g], extra, gap)
					      : price_before(price, distance, gaps_ps[g], extra, gap);
		x = gaps_ps[g];
		y = extra;
		known = true;
	}
	return known ? y : held_up(p, price, distance, gap);
}

bool platform_beside_known(const struct platform *p, enum platform_distance distance, enum prs_kind own,
			   enum prs_kind other)
{
	if (own == other)
		return true;
	for (uint32_t g = 0; g < BESIDE_GAPS - 1; g++)
		if (!at_distance(p->price[own].beside_ps[other][g], distance))
			return false;
	return true;
}

/* Where the longest gap was not measured, the price rises from @last, at the gap before, as beside the same kind. */
static uint64_t longest_beside(const struct platform *p, const struct platform_price *price,
			       enum platform_distance distance, uint64_t last)
{
	double near = (double)even_ps(p, price, distance, beside_ps[BESIDE_GAPS - 2]),
	       far = (double)even_ps(p, price, distance, beside_ps[BESIDE_GAPS - 1]);

	return near > 0 && far > near ? (uint64_t)((double)last * far / near) : last;
}

/* Both come every @gap, and do unlike things: as even_ps(), by the points measured for the pair. */
static uint64_t beside(const struct platform *p, enum platform_distance distance, enum prs_kind own,
		       enum prs_kind other, uint64_t gap)
{
	const struct platform_price *price = &p->price[own];
	uint64_t y[BESIDE_GAPS], alone = price->alone_ps;

	if (own == other)
		return even_ps(p, price, distance, gap);
	for (uint32_t g = 0; g < BESIDE_GAPS; g++)
		y[g] = at_distance(price->beside_ps[other][g], distance);
	if (!y[BESIDE_GAPS - 1])
		y[BESIDE_GAPS - 1] = longest_beside(p, price, distance, y[BESIDE_GAPS - 2]);
	if (gap <= alone)
		return y[0];
	if (gap < beside_ps[1]) {
		uint64_t line = between(alone, y[0], beside_ps[1], y[1], gap),
			 most = line > y[1] ? line : y[1];
		double share = alone ? (double)y[0] * (double)gap / (double)alone : (double)most;

		return share < (double)most ? (uint64_t)share : most;
	}
	for (uint32_t g = 2; g < BESIDE_GAPS; g++)
		if (gap <= beside_ps[g])
			return between(beside_ps[g - 1], y[g - 1], beside_ps[g], y[g], gap);
	return y[BESIDE_GAPS - 1];
}

/* What an access to the line is compared with: prices of threads that do the same, or of this one beside that one. */
struct rule {
	const struct platform *p;
	enum platform_distance distance;
	bool measured; /* prices beside the other's kind are used */
	bool hides;    /* own work goes on while the line travels */
};

static uint64_t even_of(const struct rule *r, const struct platform_visitor *v,
			const struct platform_visitor *other, uint64_t gap)
{
	if (r->measured)
		return beside(r->p, r->distance, v->kind, other->kind, gap);
	return even_ps(r->p, &r->p->price[v->kind], r->distance, gap);
}

/* Its time from one access to the next, with what it waits for the line. */
static double slowed(const struct rule *r, const struct platform_visitor *v,
		     const struct platform_visitor *other)
{
	uint64_t alone = r->p->price[v->kind].alone_ps, gap = v->gap_ps > alone ? v->gap_ps : alone;

	return (double)gap + (double)even_of(r, v, other, gap);
}

/* The most that any gap costs. */
static uint64_t highest(const struct rule *r, const struct platform_visitor *own,
			const struct platform_visitor *other)
{
	const struct platform_price *price = &r->p->price[own->kind];
	bool unlike = r->measured && own->kind != other->kind;
	uint64_t most = unlike ? 0 : full_rate(price, r->distance);

	for (uint32_t g = 0; g < (unlike ? BESIDE_GAPS : PRICE_GAPS); g++) {
		const uint64_t *by = unlike ? price->beside_ps[other->kind][g] : price->extra_ps[g];
		uint64_t extra = at_distance(by, r->distance);

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
static double seldom(const struct rule *r, const struct platform_visitor *own,
		     const struct platform_visitor *other, double even, double ratio)
{
	double most = (double)highest(r, own, other);
	double part = (double)own->gap_ps / (double)at_distance(r->p->transfer_ps, r->distance);

	if (most <= even)
		return even;
	return even + (most - even) * SELDOM_PART * (1 - 1 / ratio) * (part < 1 ? part : 1);
}

/*
 * Who comes more often loses the line once each time that the other comes.  Plans
 * take it for a transfer there and back, most of which is not waited for.
 */
#define LOSS_TRANSFERS 1.6

/* Two that come so seldom find the line gone each time: what they pay is the price of one loss. */
#define LONG_PS 1000000

/*
 * What one loss costs who comes every @gap.  Measured with a writer every 0.5 and 2 us:
 * one travel less what own work goes on meanwhile, 150, 145, 125 ns at gaps of 0, 6
 * and 30 ns where a line travels 160 ns, and 45, 20, 6 ns where it travels 40.
 */
static double loss_ps(const struct rule *r, const struct platform_visitor *own,
		      const struct platform_visitor *other, double gap)
{
	double travel = (double)at_distance(r->p->transfer_ps, r->distance);
	double least = (double)even_of(r, own, other, LONG_PS);

	if (!r->hides)
		return LOSS_TRANSFERS * travel;
	return travel - gap > least ? travel - gap : least;
}

/* Who comes up to so many times as often as the other is in between of the two laws. */
#define OFTEN_TIMES 2

static double often(const struct rule *r, const struct platform_visitor *own,
		    const struct platform_visitor *other, double even, double ratio)
{
	uint64_t alone = r->p->price[own->kind].alone_ps;
	double gap = (double)(own->gap_ps > alone ? own->gap_ps : alone);
	double most = loss_ps(r, own, other, gap) * gap / slowed(r, other, own);
	double like = (OFTEN_TIMES * ratio - 1) / (OFTEN_TIMES - 1);

	if (even < most)
		return even;
	return r->hides && like > 0 ? most + (even - most) * like : most;
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
	bool loads = own->kind == PRS_KIND_LOAD || other->kind == PRS_KIND_LOAD;
	bool stores = own->kind == PRS_KIND_STORE || other->kind == PRS_KIND_STORE;

	if (own->kind == other->kind)
		return 1;
	return loads && stores && seen < 1 ? seen * part : part;
}

static double price_by(const struct rule *r, const struct platform_visitor *own,
		       const struct platform_visitor *other)
{
	uint64_t gap = own->gap_ps ? own->gap_ps : r->p->price[own->kind].alone_ps;
	double even = own->gap_ps || r->measured ? (double)even_of(r, own, other, gap)
						 : (double)full_rate(&r->p->price[own->kind], r->distance);
	double ratio;

	if (!own->gap_ps || !other->gap_ps || !at_distance(r->p->transfer_ps, r->distance))
		return even;
	ratio = slowed(r, own, other) / slowed(r, other, own);
	return ratio > 1 ? seldom(r, own, other, even, ratio) : often(r, own, other, even, ratio);
}

uint64_t platform_conflict_ps(const struct platform *p, enum platform_distance distance,
			      const struct platform_visitor *own, const struct platform_visitor *other)
{
	struct rule r = {p, distance, false, false};

	return (uint64_t)(price_by(&r, own, other) * unlike(p, distance, own, other));
}

uint64_t platform_sharing_ps(const struct platform *p, enum platform_distance distance,
			     const struct platform_visitor *own, const struct platform_visitor *other)
{
	struct rule r = {p, distance, true, true};

	r.measured = own->kind != other->kind && platform_beside_known(p, distance, own->kind, other->kind) &&
		     platform_beside_known(p, distance, other->kind, own->kind);
	return (uint64_t)(price_by(&r, own, other) * (r.measured ? 1 : unlike(p, distance, own, other)));
}

/* ---- cores that move ---- */

bool platform_moves(const struct platform *p)
{
	for (int d = DIST_SMT; d < DIST_N; d++)
		if (p->moved_transfer_ps[d])
			return true;
	return false;
}

/* By what factor two transfers differ, at least 1; 0: one is not known. */
static double apart(uint64_t x, uint64_t y)
{
	if (!x || !y)
		return 0;
	return x > y ? (double)x / (double)y : (double)y / (double)x;
}

/* Prices of @from at @d are those of @to there. */
static void copy_distance(struct platform_price to[PRS_KIND_N], const struct platform_price from[PRS_KIND_N],
			  int d)
{
	for (int k = 0; k < PRS_KIND_N; k++) {
		to[k].alone_ps = from[k].alone_ps;
		to[k].shared_ps[DIST_SAME] = from[k].shared_ps[DIST_SAME];
		to[k].shared_ps[d] = from[k].shared_ps[d];
		for (int g = 0; g < PRICE_GAPS; g++)
			to[k].extra_ps[g][d] = from[k].extra_ps[g][d];
		for (int other = 0; other < PRS_KIND_N; other++)
			for (int g = 0; g < BESIDE_GAPS; g++)
				to[k].beside_ps[other][g][d] = from[k].beside_ps[other][g][d];
	}
}

static void keep_one(struct platform *p, const struct platform_price price[PRS_KIND_N], uint64_t transfer,
		     int d)
{
	double now = apart(p->transfer_ps[d], transfer);

	if (now < PLATFORM_MOVED || now <= apart(p->transfer_ps[d], p->moved_transfer_ps[d]))
		return;
	copy_distance(p->moved_price, price, d);
	p->moved_transfer_ps[d] = transfer;
}

bool platform_keep_moved(struct platform *p, const struct platform *from)
{
	for (int d = DIST_SMT; d < DIST_N; d++) {
		keep_one(p, from->price, from->transfer_ps[d], d);
		keep_one(p, from->moved_price, from->moved_transfer_ps[d], d);
	}
	return platform_moves(p);
}

struct platform platform_at_other_time(const struct platform *p)
{
	struct platform other = *p;

	for (int d = DIST_SMT; d < DIST_N; d++)
		if (p->moved_transfer_ps[d]) {
			copy_distance(other.price, p->moved_price, d);
			other.transfer_ps[d] = p->moved_transfer_ps[d];
		}
	return other;
}

const struct platform_denormal *platform_denormal(const struct platform *p, enum platform_fp operation,
						  enum platform_fp_type type)
{
	for (size_t i = 0; i < p->n_denormal; i++)
		if (p->denormal[i].operation == operation && p->denormal[i].type == type)
			return &p->denormal[i];
	return NULL;
}
