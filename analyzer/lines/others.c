/* SPDX-License-Identifier: MIT */
#include "analyzer/lines/others.h"

#include <stdlib.h>

#include "lib/mem.h"

/* The run in so many parts. */
#define PARTS 128

struct parts {
	uint64_t start;
	double ticks; /* of one part */
};

static double part_at(const struct parts *p, uint64_t ticks)
{
	double x = ticks > p->start ? (double)(ticks - p->start) / p->ticks : 0;

	return x < PARTS ? x : PARTS;
}

/* How much of part @k lies between @from and @to, in parts. */
static double part_between(double from, double to, int k)
{
	double a = from > k ? from : k, b = to < k + 1 ? to : k + 1;

	return b > a ? b - a : 0;
}

/* Add the misses of @l to those of the parts that it was seen in. */
static void spread(const struct parts *p, const struct prs_line *l, double *misses)
{
	double from = part_at(p, l->first), to = part_at(p, l->last);

	if (to - from < 1e-6) {
		misses[from < PARTS ? (int)from : PARTS - 1] += (double)l->misses;
		return;
	}
	for (int k = (int)from; k < PARTS && k < to; k++)
		misses[k] += (double)l->misses * part_between(from, to, k) / (to - from);
}

/* Misses from the first to the last of @l, by part. */
static double within(const struct parts *p, const struct prs_line *l, const double *misses)
{
	double from = part_at(p, l->first), to = part_at(p, l->last), sum = 0;

	for (int k = (int)from; k < PARTS && k < to; k++)
		sum += misses[k] * part_between(from, to, k);
	return sum;
}

/* The @n uses of one thread at one line; @all: of the thread, by part. */
static void others_of(struct line_use *u, size_t n, const struct parts *p, const double *all)
{
	double own[PARTS] = {0};

	for (size_t i = 0; i < n; i++)
		spread(p, u[i].raw, own);
	for (size_t i = 0; i < n; i++) {
		double others = within(p, u[i].raw, all) - within(p, u[i].raw, own);

		u[i].others = others > 0 ? others : 0;
	}
}

void others_fill(struct line_uses *u, const struct run_process *p)
{
	struct parts parts = {p->header->tsc_start, 1};
	double(*all)[PARTS] = mem_new(p->n_threads + 1, sizeof(*all));
	size_t to;

	if (p->end > parts.start)
		parts.ticks = (double)(p->end - parts.start) / PARTS;
	for (size_t i = 0; i < u->n; i++)
		spread(&parts, u->at[i].raw, all[u->at[i].thread]);
	for (size_t from = 0; from < u->n; from = to) {
		const struct line_use *x = &u->at[from];

		for (to = from + 1; to < u->n && u->at[to].raw->line == x->raw->line &&
				    u->at[to].raw->generation == x->raw->generation &&
				    u->at[to].thread == x->thread;)
			to++;
		others_of(&u->at[from], to - from, &parts, all[x->thread]);
	}
	free(all);
}
