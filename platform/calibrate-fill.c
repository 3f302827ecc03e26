/* SPDX-License-Identifier: MIT */
/* What measured pairs of cores are worth, and the prices of a platform from them. */
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/stats.h"
#include "platform/calibrate.h"

#define MAX_PAIRS 64 /* that a figure is the median of */

static uint64_t rounded(double x)
{
	return x < 1 ? 1 : (uint64_t)(x + 0.5);
}

/* The median over the pairs at a distance of the member at @offset; 0: none. */
static double over_pairs(const struct vec_calibrate_pair *pairs, enum platform_distance distance,
			 size_t offset)
{
	double x[MAX_PAIRS];
	size_t n = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		const struct calibrate_pair *pair = &pairs->at[i];

		if (pair->distance == distance && n < MAX_PAIRS)
			x[n++] = *(const double *)(const void *)((const char *)pair + offset);
	}
	return stats_median(x, n);
}

/* What is measured as nothing is 1 ps: 0 means not known. */
static void fill_extra(const struct vec_calibrate_pair *pairs, struct platform_price *price, int kind, int d)
{
	size_t at = offsetof(struct calibrate_pair, extra_ps) + sizeof(double) * PRICE_GAPS * (size_t)kind;

	for (uint32_t g = 0; g < PRICE_GAPS; g++)
		price->extra_ps[g][d] =
			rounded(over_pairs(pairs, (enum platform_distance)d, at + sizeof(double) * g));
}

static void fill_beside(const struct vec_calibrate_pair *pairs, struct platform_price *price, int kind, int d)
{
	size_t at = offsetof(struct calibrate_pair, beside_ps) +
		    sizeof(double) * BESIDE_GAPS * PRS_KIND_N * (size_t)kind;

	for (uint32_t other = 0; other < PRS_KIND_N; other++)
		for (uint32_t g = 0; g < BESIDE_GAPS && other != (uint32_t)kind; g++)
			price->beside_ps[other][g][d] =
				rounded(over_pairs(pairs, (enum platform_distance)d,
						   at + sizeof(double) * (BESIDE_GAPS * other + g)));
}

static void fill_prices(struct platform *p, const struct vec_calibrate_pair *pairs)
{
	for (int kind = 0; kind < PRS_KIND_N; kind++) {
		struct platform_price *price = &p->price[kind];
		size_t alone = offsetof(struct calibrate_pair, alone_ps) + sizeof(double) * (size_t)kind;
		size_t shared = offsetof(struct calibrate_pair, shared_ps) + sizeof(double) * (size_t)kind;

		/* The farthest cores disturb one another least. */
		for (int d = DIST_N - 1; d > DIST_SAME && !price->alone_ps; d--)
			if (over_pairs(pairs, (enum platform_distance)d, alone) > 0)
				price->alone_ps =
					rounded(over_pairs(pairs, (enum platform_distance)d, alone));
		/* Threads on one core never use the line at the same time. */
		price->shared_ps[DIST_SAME] = price->alone_ps;
		for (int d = DIST_SMT; d < DIST_N; d++) {
			double ps = over_pairs(pairs, (enum platform_distance)d, shared);

			if (ps > 0) {
				price->shared_ps[d] =
					rounded(ps) > price->alone_ps ? rounded(ps) : price->alone_ps;
				fill_extra(pairs, price, kind, d);
				fill_beside(pairs, price, kind, d);
			}
		}
	}
}

static void fill_platform(struct platform *p, const struct vec_calibrate_pair *pairs)
{
	for (int d = DIST_SMT; d < DIST_N; d++) {
		enum platform_distance distance = (enum platform_distance)d;
		double transfer = over_pairs(pairs, distance, offsetof(struct calibrate_pair, transfer_ps));
		double migrate = over_pairs(pairs, distance, offsetof(struct calibrate_pair, migrate_ns));

		if (transfer > 0)
			p->transfer_ps[d] = rounded(transfer);
		if (migrate > 0)
			p->migrate_ns[d] = rounded(migrate);
	}
	fill_prices(p, pairs);
}

/* Where the topology distinguishes no distances, pairs of one may be near and far: the usual ones stay. */
static void sort_out(struct calibrate_report *report)
{
	double usual[DIST_N];
	size_t kept = 0;

	for (int d = 0; d < DIST_N; d++)
		usual[d] = over_pairs(&report->pairs, (enum platform_distance)d,
				      offsetof(struct calibrate_pair, transfer_ps));
	for (size_t i = 0; i < report->pairs.n; i++) {
		struct calibrate_pair pair = report->pairs.at[i];

		if (platform_far_apart(pair.transfer_ps, usual[pair.distance]))
			vec_push(&report->moved, pair);
		else
			report->pairs.at[kept++] = pair;
	}
	report->pairs.n = kept;
}

bool calibrate_half_known(const struct calibrate_report *report, const struct calibrate_pair *pair)
{
	for (size_t i = 0; i < report->moved.n; i++)
		if (report->moved.at[i].distance == pair->distance &&
		    platform_far_apart(report->moved.at[i].transfer_ps, pair->transfer_ps))
			return false;
	return platform_far_apart(pair->nearest_ps, pair->farthest_ps);
}

void calibrate_fill(struct platform *p, struct calibrate_report *report)
{
	struct platform *other = mem_new(1, sizeof(*other));

	sort_out(report);
	fill_platform(p, &report->pairs);
	fill_platform(other, &report->moved);
	platform_keep_moved(p, other);
	free(other);
}

bool platform_far_apart(double x, double y)
{
	return x > 0 && y > 0 && (x >= PLATFORM_MOVED * y || y >= PLATFORM_MOVED * x);
}

/*
 * A thread that had no core for more than this part of the rounds: others use the
 * machine.  The rounds that it was left alone in are too few and too short to tell what
 * the line costs, though each by itself looks quiet.
 */
#define MAX_LOST 0.15

/* Two measurements of one transfer that differ by more: the cores moved, as virtual ones may. */
#define MOVED 1.4

/* A locked increment costs at least this part of what a plain one costs more on a shared line. */
#define LOCKED_PART 0.5

const char *calibrate_contradiction(const struct calibrate_pair *pair)
{
	double atomic = pair->shared_ps[PRS_KIND_ATOMIC] - pair->alone_ps[PRS_KIND_ATOMIC];
	double rmw = pair->shared_ps[PRS_KIND_RMW] - pair->alone_ps[PRS_KIND_RMW];

	if (atomic < LOCKED_PART * rmw)
		return "a locked increment costs less more on a shared line than a plain one";
	if (pair->shared_ps[PRS_KIND_ATOMIC] < 1.2 * pair->alone_ps[PRS_KIND_ATOMIC])
		return "a locked increment costs on a shared line what it costs on its own";
	if (pair->first_transfer_ps > MOVED * pair->transfer_ps ||
	    pair->transfer_ps > MOVED * pair->first_transfer_ps ||
	    pair->most_transfer_ps > PLATFORM_MOVED * pair->least_transfer_ps)
		return "the distance of the cores changed meanwhile";
	return NULL;
}

bool calibrate_was_busy(const struct calibrate_pair *pair)
{
	return pair->lost > MAX_LOST;
}
