/* SPDX-License-Identifier: MIT */
#include "analyzer/price.h"

#include <stdlib.h>

#include "lib/mem.h"

static enum price_access access_of(enum model_access kind)
{
	switch (kind) {
	case MODEL_LOAD:
		return PRICE_LOAD;
	case MODEL_STORE:
		return PRICE_STORE;
	case MODEL_ATOMIC:
		return PRICE_ATOMIC;
	default:
		return PRICE_RMW;
	}
}

/* How often each distance occurs between two different usable cores. */
static void distances(const struct platform *pf, uint64_t count[DIST_N])
{
	for (int d = 0; d < DIST_N; d++)
		count[d] = 0;
	for (uint32_t a = 0; a < pf->n_cores; a++)
		for (uint32_t b = a + 1; b < pf->n_cores; b++)
			if (pf->cores[a].usable && pf->cores[b].usable)
				count[platform_distance(pf, a, b)]++;
}

static bool price_at(const struct platform *pf, int distance)
{
	for (int k = 0; k < PRICE_N; k++)
		if (pf->price[k].shared_ps[distance])
			return true;
	return false;
}

bool price_known(const struct platform *platform)
{
	uint64_t count[DIST_N];

	distances(platform, count);
	for (int d = DIST_SMT; d < DIST_N; d++)
		if (count[d] && price_at(platform, d))
			return true;
	return false;
}

/*
 * A transfer that was seen stands for no more than so many of the run without
 * probes.  Many, since on a busy machine the two threads seldom ran at a time
 * when it was recorded; but threads that use the line in turns, each for long,
 * do not pay for each access.
 */
#define TRANSFERS_EACH 32

/* A gap of a second is as good as none. */
#define MAX_GAP_PS 1e12

/* The gap without waiting, of a gap with it: each access waits as long as it would have to at that gap. */
static uint64_t without_wait(const struct platform *pf, int distance, enum price_access kind, uint64_t gap)
{
	uint64_t lo = 0, hi = gap;

	while (hi - lo > 1 + gap / 1000) {
		struct platform_visitor v = {kind, lo + (hi - lo) / 2};

		if (v.gap_ps + platform_conflict_ps(pf, (enum platform_distance)distance, &v, &v) > gap)
			hi = v.gap_ps;
		else
			lo = v.gap_ps;
	}
	return hi;
}

static struct platform_visitor visitor(const struct platform *pf, const struct sharing_side *s, int distance)
{
	double ps = s->gap_ns * 1000 < MAX_GAP_PS ? s->gap_ns * 1000 : MAX_GAP_PS;
	struct platform_visitor v = {access_of(s->kind), (uint64_t)ps};

	if (s->gap_waits && v.gap_ps)
		v.gap_ps = without_wait(pf, distance, v.kind, v.gap_ps);
	return v;
}

/* How many accesses of @own meet the other side, if each of them costs @ps more. */
static double meetings(const struct sharing_side *own, const struct sharing_side *other, double ps)
{
	double both = own->active_ns < other->active_ns ? own->active_ns : other->active_ns;

	if (own->gap_ns <= 0 || other->gap_ns <= 0)
		return own->accesses < other->accesses ? own->accesses : other->accesses;
	return both / (own->gap_ns + (own->active_waits && !own->gap_waits ? ps / 1000 : 0));
}

/* What the other side adds to the time of @own, ns; *@met: accesses that meet it. */
static double extra_ns(const struct platform *pf, const struct sharing_pair *p,
		       const struct sharing_side *own, int distance, double *met)
{
	const struct sharing_side *other = own == &p->a ? &p->b : &p->a;
	struct platform_visitor a = visitor(pf, own, distance), b = visitor(pf, other, distance);
	double most = (double)p->transfers * TRANSFERS_EACH * (double)pf->transfer_ps[distance] / 1000;
	double ps, ns;

	if (!a.gap_ps || !b.gap_ps)
		a.gap_ps = b.gap_ps = 0;
	ps = (double)platform_conflict_ps(pf, (enum platform_distance)distance, &a, &b);
	*met = meetings(own, other, ps) * p->together;
	ns = *met * ps / 1000;
	return most > 0 && ns > most ? most : ns;
}

/* Per thread: accesses to the finding's lines undisturbed, and what meeting the other adds. */
struct burden {
	double alone, extra;
};

static struct burden *burdens(const struct sharing_finding *f, const struct platform *pf, int distance,
			      const struct price_setting *st)
{
	struct burden *all = mem_new(st->n_threads + 1, sizeof(*all));

	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct sharing_pair *p = &f->pairs[i];
		const struct sharing_side *sides[2] = {&p->a, &p->b};
		for (int s = 0; s < 2; s++) {
			const struct platform_price *price = &pf->price[access_of(sides[s]->kind)];

			double met;

			all[sides[s]->thread].extra += extra_ns(pf, p, sides[s], distance, &met);
			/* An estimated number of accesses is not more than its thread's time allows. */
			if (sides[s]->how == EVIDENCE_COUNTED)
				met = sides[s]->accesses;
			all[sides[s]->thread].alone += met * (double)price->alone_ps / 1000;
		}
	}
	return all;
}

/*
 * Percent of the time that the threads need on cores of their own.  A run on
 * a busy machine may show less CPU time than two threads at full speed on one
 * line would need: then what they would need counts.
 */
static double cost_at(const struct sharing_finding *f, const struct platform *pf, int distance,
		      const struct price_setting *st)
{
	struct burden *all = burdens(f, pf, distance, st);
	double sum[2] = {0, 0}, longest[2] = {0, 0}, time[2];

	for (size_t i = 0; i < st->n_threads; i++) {
		double least = all[i].alone + all[i].extra, ns[2];

		ns[0] = st->cpu_ns[i] > least ? st->cpu_ns[i] : least;
		ns[1] = ns[0] - all[i].extra;
		for (int k = 0; k < 2; k++) {
			sum[k] += ns[k];
			longest[k] = ns[k] > longest[k] ? ns[k] : longest[k];
		}
	}
	for (int k = 0; k < 2; k++)
		time[k] = sum[k] / st->cores > longest[k] ? sum[k] / st->cores : longest[k];
	free(all);
	return time[0] > 0 ? 100 * (time[0] - time[1]) / time[0] : 0;
}

void price_finding(struct sharing_finding *f, const struct platform *platform,
		   const struct price_setting *setting)
{
	uint64_t count[DIST_N], most = 0;

	distances(platform, count);
	for (int d = DIST_SMT; d < DIST_N; d++) {
		double cost;

		if (!count[d] || !price_at(platform, d))
			continue;
		cost = cost_at(f, platform, d, setting);
		f->cost_low = f->priced && f->cost_low < cost ? f->cost_low : cost;
		f->cost_high = f->priced && f->cost_high > cost ? f->cost_high : cost;
		if (count[d] > most) {
			most = count[d];
			f->cost = cost;
		}
		f->priced = true;
	}
}
