/* SPDX-License-Identifier: MIT */
#include "lib/compare/signed-rank.h"

#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/stats.h"

/* The largest k with P(W <= k - 1) <= @alpha, W the sum of the ranks of those of @n fair coins that fell on one side. */
size_t signed_rank_critical(unsigned n, double alpha)
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

double *signed_rank_walsh(const double *value, unsigned n, size_t *count)
{
	double *w = mem_new((size_t)n * (n + 1) / 2, sizeof(*w));
	size_t k = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = i; j < n; j++)
			w[k++] = 0.5 * (value[i] + value[j]);
	stats_median(w, k); /* sorts them */
	*count = k;
	return w;
}

struct signed_rank signed_rank_interval(const double *value, unsigned n, double alpha)
{
	size_t count, rank = signed_rank_critical(n, alpha);
	double *w = signed_rank_walsh(value, n, &count);
	struct signed_rank r = {
		stats_quantile(w, count, 0.5),
		rank ? w[rank - 1] : -INFINITY,
		rank ? w[count - rank] : INFINITY,
	};

	free(w);
	return r;
}
