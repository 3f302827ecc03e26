/* SPDX-License-Identifier: MIT */
/* One site in several threads, at several lines: the gaps that windows saw, told together. */
#include <stdlib.h>

#include "analyzer/lines/evidence.h"
#include "lib/mem.h"

/* Gaps of one site as long as each other but for this are those of one loop. */
#define ALIKE 1.5

/* More uses of one line are not compared with each other. */
#define USES_MOST 4096

/* What the windows say of one use. */
struct seen_gap {
	size_t use;
	uint32_t site;
	double ticks, weight;
};

static int by_site_and_gap(const void *a, const void *b)
{
	const struct seen_gap *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->ticks < y->ticks || x->ticks > y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	return x->use < y->use ? -1 : x->use > y->use;
}

/* Each gap becomes the mean of those of its site that are as long, weighed by how often they were seen. */
static void pool(struct seen_gap *g, size_t n, double *out)
{
	size_t lo = 0, hi = 0;
	double sum = 0, weight = 0;

	if (n)
		qsort(g, n, sizeof(*g), by_site_and_gap);
	for (size_t i = 0; i < n; i++) {
		while (lo < i && (g[lo].site != g[i].site || g[lo].ticks * ALIKE < g[i].ticks)) {
			sum -= g[lo].ticks * g[lo].weight;
			weight -= g[lo++].weight;
		}
		for (; hi < n && (hi <= i || (g[hi].site == g[i].site && g[hi].ticks <= ALIKE * g[i].ticks));
		     hi++) {
			sum += g[hi].ticks * g[hi].weight;
			weight += g[hi].weight;
		}
		out[g[i].use] = weight > 0 ? sum / weight : g[i].ticks;
	}
}

/* The mean of each site over all that windows saw of it, to all of its uses: into @out, by use. */
static void pool_sites(const struct seen_gap *g, size_t n_gaps, const struct line_use *u, size_t n,
		       double *out)
{
	uint32_t sites = 0;
	double *sum, *weight;

	for (size_t i = 0; i < n; i++)
		sites = u[i].raw->site >= sites && u[i].raw->site != UINT32_MAX ? u[i].raw->site + 1 : sites;
	sum = mem_new((size_t)sites + 1, sizeof(*sum));
	weight = mem_new((size_t)sites + 1, sizeof(*weight));
	for (size_t i = 0; i < n_gaps; i++)
		if (g[i].site < sites) {
			sum[g[i].site] += g[i].ticks * g[i].weight;
			weight[g[i].site] += g[i].weight;
		}
	for (size_t i = 0; i < n; i++) {
		uint32_t site = u[i].raw->site;

		out[i] = site < sites && weight[site] > 0 ? sum[site] / weight[site] : 0;
	}
	free(sum);
	free(weight);
}

/* Which uses without a window make, at the same line from the same site, what another thread was seen to do. */
static void find_lines_seen(struct line_use *u, size_t n)
{
	size_t to;

	for (size_t from = 0; from < n; from = to) {
		for (to = from + 1; to < n && u[to].raw->line == u[from].raw->line &&
				    u[to].raw->generation == u[from].raw->generation;)
			to++;
		for (size_t i = from; to - from <= USES_MOST && i < to; i++)
			for (size_t k = from; k < to && !u[i].line_seen; k++)
				u[i].line_seen = u[k].raw->site == u[i].raw->site &&
						 u[k].raw->gaps >= EVIDENCE_GAPS &&
						 evidence_long_gaps(&u[k]) <= 0;
	}
}

void evidence_pool(struct line_use *u, size_t n)
{
	struct seen_gap *own = mem_new(n + 1, sizeof(*own)), *mean = mem_new(n + 1, sizeof(*mean));
	double *out = mem_new(n + 1, sizeof(*out));
	size_t n_own = 0, n_mean = 0;

	for (size_t i = 0; i < n; i++) {
		const struct prs_line *l = u[i].raw;
		struct seen_gap g = {i, l->site, l->gap_own / 16.0, (double)l->gaps};

		if (l->gaps >= EVIDENCE_GAPS && l->gap_own)
			own[n_own++] = g;
		g.ticks = l->gaps ? (double)l->gap_ticks / (double)l->gaps : 0;
		if (l->gaps >= EVIDENCE_GAPS)
			mean[n_mean++] = g;
	}
	pool(own, n_own, out);
	for (size_t i = 0; i < n; i++) {
		u[i].gap_own = out[i];
		out[i] = 0;
	}
	pool(mean, n_mean, out);
	for (size_t i = 0; i < n; i++)
		u[i].gap_mean = out[i];
	find_lines_seen(u, n);
	pool_sites(own, n_own, u, n, out);
	for (size_t i = 0; i < n; i++)
		u[i].site_own = out[i];
	pool_sites(mean, n_mean, u, n, out);
	for (size_t i = 0; i < n; i++)
		u[i].site_mean = out[i];
	free(own);
	free(mean);
	free(out);
}
