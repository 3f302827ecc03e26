/* SPDX-License-Identifier: MIT */
#include "lib/compare/sequential.h"

#include <math.h>
#include <stdlib.h>

#include "lib/compare/signed-rank.h"
#include "lib/stats.h"

/* Of the whole number of blocks, and of the two probabilities of error. */
static const double when[SEQUENTIAL_LOOKS] = {0.40, 0.53, 0.67, 0.80, 1.0};
static const double alarm_part[SEQUENTIAL_LOOKS] = {0.10, 0.15, 0.20, 0.20, 0.35};
static const double miss_part[SEQUENTIAL_LOOKS] = {0.25, 0.20, 0.20, 0.15, 0.20};

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
	w = signed_rank_walsh(block, n, &count);
	r.estimate = exp(stats_quantile(w, count, 0.5));
	r.low = look && look->low ? exp(w[look->low - 1]) : 0;
	r.high = look && look->high ? exp(w[count - look->high]) : INFINITY;
	r.verdict = sequential_verdict(r.low, r.high, p->limit);
	free(w);
	return r;
}
