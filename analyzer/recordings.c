/* SPDX-License-Identifier: MIT */
#include "analyzer/recordings.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/program.h"
#include "lib/mem.h"
#include "lib/stats.h"

static const struct sharing_finding *of_id(const struct sharing_report *rep, const char *id)
{
	for (size_t i = 0; i < rep->n; i++)
		if (!strcmp(rep->findings[i].evidence, id))
			return &rep->findings[i];
	return NULL;
}

/* The priced finding of that id, or NULL. */
static const struct sharing_finding *recordings_find(const struct sharing_report *rep, const char *id)
{
	const struct sharing_finding *f = of_id(rep, id);

	return f && f->priced ? f : NULL;
}

/* The same two threads with the same parts of the object. */
static const struct sharing_pair *same_pair(const struct sharing_finding *f, const struct sharing_pair *p)
{
	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct sharing_pair *q = &f->pairs[i];

		if (!strcmp(p->a.name, q->a.name) && !strcmp(p->b.name, q->b.name) &&
		    !strcmp(p->a.what, q->a.what) && !strcmp(p->b.what, q->b.what))
			return q;
	}
	return NULL;
}

/* What another recording says of the same side is as true: of `at least` the least of all. */
static void span_side(struct sharing_side *s, const struct sharing_side *other)
{
	double low = s->at_least || other->at_least ? other->per_s_low : other->per_s;

	s->per_s_low = low < s->per_s_low ? low : s->per_s_low;
	s->per_s_high = other->per_s > s->per_s_high ? other->per_s : s->per_s_high;
	if (s->at_least)
		s->per_s = s->per_s_low;
}

static void span_rates(struct sharing_finding *f, const struct sharing_report *other, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct sharing_finding *g = of_id(&other[i], f->evidence);

		for (size_t k = 0; g && k < f->n_pairs; k++) {
			const struct sharing_pair *q = same_pair(g, &f->pairs[k]);

			if (!q)
				continue;
			span_side(&f->pairs[k].a, &q->a);
			span_side(&f->pairs[k].b, &q->b);
		}
	}
}

/* What holds of all intervals; of those that contradict each other, all that any holds. */
static void join_one(struct sharing_finding *f, const struct sharing_report *other, size_t n)
{
	double *costs = mem_new(n + 1, sizeof(*costs)), cost;
	double low = f->cost_low, high = f->cost_high, least = low, most = high;
	size_t seen = 1;

	costs[0] = f->cost;
	for (size_t i = 0; i < n; i++) {
		const struct sharing_finding *g = recordings_find(&other[i], f->evidence);

		if (!g)
			continue;
		costs[seen++] = g->cost;
		low = g->cost_low > low ? g->cost_low : low;
		high = g->cost_high < high ? g->cost_high : high;
		least = g->cost_low < least ? g->cost_low : least;
		most = g->cost_high > most ? g->cost_high : most;
		if (g->confidence < f->confidence)
			f->confidence = g->confidence;
	}
	if (low > high) {
		low = least;
		high = most;
		f->confidence = SHARING_LOW;
	}
	cost = stats_median(costs, seen);
	f->cost = cost < low ? low : cost > high ? high : cost;
	f->cost_low = low;
	f->cost_high = high;
	f->recordings = (unsigned)seen;
	free(costs);
}

/* What only another recording saw, and may cost much. */
static void name_missing(struct sharing_report *rep, const struct sharing_report *other)
{
	for (size_t i = 0; i < other->n; i++) {
		const struct sharing_finding *g = &other->findings[i];

		if (g->priced && g->cost_high >= SHARING_COST_PERCENT && !recordings_find(rep, g->evidence))
			notes_add(&rep->doubts,
				  "only another of the recordings has %s (%.0f to %.0f %%): name it first",
				  g->evidence, g->cost_low, g->cost_high);
	}
}

void recordings_join(struct sharing_report *rep, const struct sharing_report *other, size_t n)
{
	for (size_t i = 0; i < rep->n; i++) {
		span_rates(&rep->findings[i], other, n);
		if (rep->findings[i].priced)
			join_one(&rep->findings[i], other, n);
	}
	for (size_t i = 0; i < n; i++)
		name_missing(rep, &other[i]);
	sharing_count(rep);
}

/* Judge into @rep[0..*@done), which the caller releases; @runs likewise. */
static int judge_all(struct run *runs, struct sharing_report *rep, size_t *done, const struct run *run,
		     char *const *path, size_t n, const struct sharing_opts *opts, struct err *err)
{
	for (*done = 0; *done < n; ++*done) {
		struct run *r = &runs[*done];
		int ret = run_open(r, path[*done], err);

		if (ret)
			return ret;
		ret = program_same(run, r, err);
		if (!ret)
			ret = sharing_make(&rep[*done], r, opts, err);
		if (ret) {
			run_close(r);
			return ret;
		}
	}
	return 0;
}

int recordings_read(struct sharing_report *rep, const struct run *run, char *const *path, size_t n,
		    const struct sharing_opts *opts, struct err *err)
{
	struct sharing_report *more = mem_new(n + 1, sizeof(*more));
	struct run *runs = mem_new(n + 1, sizeof(*runs));
	size_t done;
	int ret = judge_all(runs, more, &done, run, path, n, opts, err);

	if (!ret && done)
		recordings_join(rep, more, done);
	while (done-- > 0) {
		sharing_release(&more[done]);
		run_close(&runs[done]);
	}
	free(more);
	free(runs);
	return ret;
}
