/* SPDX-License-Identifier: MIT */
#include "lib/compare/sequential.h"

#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/stats.h"

/* Of the whole number of blocks, and of the two probabilities of error. */
static const double when[SEQUENTIAL_LOOKS] = {0.40, 0.53, 0.67, 0.80, 1.0};
static const double alarm_part[SEQUENTIAL_LOOKS] = {0.10, 0.15, 0.20, 0.20, 0.35};
static const double miss_part[SEQUENTIAL_LOOKS] = {0.25, 0.20, 0.20, 0.15, 0.20};

/*
 * The rank of the Walsh average below which the truth lies with probability
 * @alpha at most: the largest k with P(W <= k - 1) <= @alpha, W the sum of the
 * ranks of those of @n fair coins that fell on one side.
 */
static size_t signed_rank_critical(unsigned n, double alpha)
{
	size_t sums = (size_t)n * (n + 1) / 2, k = 0;
	double *p = mem_new(sums + 1, sizeof(*p));
	double below = 0;

	p[0] = 1;
	for (size_t rank = 1, reach = 0; rank <= n; rank++) {
		reach += rank;
		for (size_t s = reach + 1; s-- > 0;)
			p[s] = 0.5 * (p[s] + (s >= rank ? p[s - rank] : 0));
	}
	while (k <= sums && below + p[k] <= alpha)
		below += p[k++];
	free(p);
	return k;
}

void sequential_plan(struct sequential_plan *p, double limit, unsigned blocks)
{
	p->limit = limit;
	for (unsigned i = 0; i < SEQUENTIAL_LOOKS; i++) {
		unsigned n = (unsigned)lround(when[i] * blocks);

		p->look[i].blocks = n;
		p->look[i].low = signed_rank_critical(n, alarm_part[i] * SEQUENTIAL_ALARM);
		p->look[i].high = signed_rank_critical(n, miss_part[i] * SEQUENTIAL_MISS);
	}
}

int sequential_due(const struct sequential_plan *p, unsigned blocks)
{
	for (unsigned i = 0; i < SEQUENTIAL_LOOKS; i++)
		if (p->look[i].blocks == blocks)
			return 1;
	return 0;
}

/* The means of all pairs of blocks, each with itself as well, ascending; the caller frees them. */
static double *walsh(const double *block, unsigned n, size_t *count)
{
	double *w = mem_new((size_t)n * (n + 1) / 2, sizeof(*w));
	size_t k = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = i; j < n; j++)
			w[k++] = 0.5 * (block[i] + block[j]);
	stats_median(w, k); /* sorts them */
	*count = k;
	return w;
}

enum sequential_verdict sequential_verdict(double low, double high, double limit)
{
	if (high < 1.0 + limit)
		return SEQUENTIAL_OK;
	return low > 1.0 + SEQUENTIAL_PART * limit ? SEQUENTIAL_SLOWER : SEQUENTIAL_OPEN;
}

struct sequential_result sequential_judge(const struct sequential_plan *p, const double *block, unsigned n)
{
	const struct sequential_look *look = NULL;
	struct sequential_result r;
	size_t count;
	double *w;

	for (unsigned i = 0; i < SEQUENTIAL_LOOKS && p->look[i].blocks <= n; i++)
		look = &p->look[i];
	if (look)
		n = look->blocks;
	w = walsh(block, n, &count);
	r.estimate = exp(stats_quantile(w, count, 0.5));
	r.low = look && look->low ? exp(w[look->low - 1]) : 0;
	r.high = look && look->high ? exp(w[count - look->high]) : INFINITY;
	r.verdict = sequential_verdict(r.low, r.high, p->limit);
	free(w);
	return r;
}
