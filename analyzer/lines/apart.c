/* SPDX-License-Identifier: MIT */
/*
 * Uses of one line that a thread makes in different stages of its work: first
 * from here, later from there.  How fast it comes in one says nothing of the
 * other.
 */
#include <stdlib.h>

#include "analyzer/lines/evidence.h"
#include "analyzer/lines/there.h"
#include "lib/mem.h"

/* Uses in groups whose times overlap. */
struct apart {
	struct line_use *uses; /* copies, stage by stage in the order of time */
	size_t *from;          /* where each stage begins in `uses`; one more at the end */
	size_t *origin;        /* of each copy: where it stands in what was given */
	double *span;          /* ns of each stage, but for waits */
	size_t n;              /* stages */
};

/* Some uses, and from when to when they were seen. */
struct stretch {
	uint64_t first, last; /* ticks */
	size_t use;           /* before the groups are made: the one */
	uint64_t seen;        /* how often */
	bool alone;           /* says for itself how often it comes */
};

static int by_first(const void *p, const void *q)
{
	const struct stretch *x = p, *y = q;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->use > y->use) - (x->use < y->use);
}

static void stretch_add(struct stretch *to, const struct stretch *from)
{
	to->first = from->first < to->first ? from->first : to->first;
	to->last = from->last > to->last ? from->last : to->last;
	to->seen += from->seen;
	to->alone |= from->alone;
}

static struct stretch *stretches_of(const struct line_use *u, size_t n)
{
	struct stretch *s = mem_new(n + 1, sizeof(*s));

	for (size_t i = 0; i < n; i++)
		s[i] = (struct stretch){u[i].raw->first, u[i].raw->last, i,
					u[i].raw->misses + u[i].raw->watched,
					u[i].raw->trips || u[i].accesses > 0};
	qsort(s, n, sizeof(*s), by_first);
	return s;
}

/* Has it enough to be judged without the others? */
static bool stands(const struct stretch *s)
{
	return s->alone || s->seen >= EVIDENCE_GAPS;
}

/* Is @s nearer to @before than to @behind (NULL: there is none)? */
static bool nearer_before(const struct stretch *before, const struct stretch *s, const struct stretch *behind)
{
	return !behind || s->first - before->last <= behind->first - s->last;
}

/*
 * Join what is too small with the neighbour that it is nearer to; @to: where each of the @n went.
 * Those that went on to the next go where that one goes.
 */
static size_t join_small(struct stretch *g, size_t n, uint32_t *to)
{
	size_t left = 0, along = 0;

	for (size_t i = 0; i < n; i++) {
		struct stretch *next = i + 1 < n ? &g[i + 1] : NULL;
		bool before = !stands(&g[i]) && left && nearer_before(&g[left - 1], &g[i], next);

		if (!stands(&g[i]) && !before && next) {
			stretch_add(next, &g[i]);
			along++;
			continue;
		}
		for (size_t k = i - along; k <= i; k++)
			to[k] = (uint32_t)(before ? left - 1 : left);
		along = 0;
		if (before)
			stretch_add(&g[left - 1], &g[i]);
		else
			g[left++] = g[i];
	}
	return left;
}

/* The stage of each of @s, which is in the order of time; how many there are. */
static size_t stages_of(const struct stretch *s, size_t n, uint32_t *stage)
{
	struct stretch *g = mem_new(n + 1, sizeof(*g));
	uint32_t *to = mem_new(n + 1, sizeof(*to));
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		if (m && s[i].first <= g[m - 1].last)
			stretch_add(&g[m - 1], &s[i]);
		else
			g[m++] = s[i];
		stage[i] = (uint32_t)(m - 1);
	}
	m = join_small(g, m, to);
	for (size_t i = 0; i < n; i++)
		stage[i] = to[stage[i]];
	free(to);
	free(g);
	return m;
}

/* NULL: there is only one stage.  A use that was seen too seldom is in the one next to it. */
static struct apart *apart_new(const struct line_use *u, size_t n)
{
	struct stretch *s = stretches_of(u, n);
	uint32_t *stage = mem_new(n + 1, sizeof(*stage));
	size_t m = stages_of(s, n, stage);
	struct apart *a = NULL;

	if (m > 1) {
		a = mem_new(1, sizeof(*a));
		*a = (struct apart){mem_new(n, sizeof(*u)), mem_new(m + 1, sizeof(*a->from)),
				    mem_new(n, sizeof(*a->origin)), mem_new(m, sizeof(*a->span)), m};
		for (size_t i = 0; i < n; i++) {
			a->uses[i] = u[s[i].use];
			a->origin[i] = s[i].use;
			a->from[stage[i] + 1] = i + 1;
		}
	}
	free(stage);
	free(s);
	return a;
}

static void apart_back(const struct apart *a, struct line_use *u)
{
	for (size_t i = 0; i < a->from[a->n]; i++)
		u[a->origin[i]] = a->uses[i];
}

static void apart_free(struct apart *a)
{
	free(a->uses);
	free(a->from);
	free(a->origin);
	free(a->span);
	free(a);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Of a thread at one line over all its stages. */
struct whole {
	double active_ns, visits, disputed_ns, disputed_least_ns;
	double heaviest; /* accesses of the stage that says what the time holds */
	bool gap_waits, active_waits, frame;
};

static void whole_add(struct whole *w, const struct line_use *u, size_t n)
{
	double accesses = 0;

	for (size_t i = 0; i < n; i++)
		accesses += u[i].accesses;
	w->active_ns += u->active_ns;
	w->visits += u->visits;
	w->disputed_ns += u->disputed_ns;
	w->disputed_least_ns += u->disputed_least_ns;
	if (accesses < w->heaviest)
		return;
	w->heaviest = accesses;
	w->gap_waits = u->gap_waits;
	w->active_waits = u->active_waits;
	w->frame = u->frame;
}

static void whole_set(const struct whole *w, struct line_use *u, size_t n, const struct line_pace *pace)
{
	for (size_t i = 0; i < n; i++) {
		u[i].active_ns = w->active_ns < pace->cpu_ns ? w->active_ns : pace->cpu_ns;
		u[i].visits = w->visits;
		u[i].disputed_ns = w->disputed_ns;
		u[i].disputed_least_ns = w->disputed_least_ns;
		u[i].gap_waits = w->gap_waits;
		u[i].active_waits = w->active_waits;
		u[i].frame = w->frame;
	}
}

/* From the first to the last that was seen, but for waits, ns. */
static double span_of(const struct line_use *u, size_t n, const struct run_process *p,
		      const struct line_pace *pace)
{
	uint64_t first = UINT64_MAX, last = 0;
	struct there there;

	for (size_t i = 0; i < n; i++) {
		first = u[i].raw->first < first ? u[i].raw->first : first;
		last = u[i].raw->last > last ? u[i].raw->last : last;
	}
	there_between(&there, p, u->thread, first, last, pace);
	return there.span;
}

void evidence_fill(struct line_use *u, size_t n, const struct run_process *p, const struct line_pace *pace)
{
	struct apart *a;
	struct whole w = {0};
	double all = 0;

	/* Of processes nobody knows when the others were there. */
	a = pace->windows ? NULL : apart_new(u, n);
	if (!a) {
		evidence_stage(u, n, p, pace, 0);
		return;
	}
	for (size_t g = 0; g < a->n; g++) {
		a->span[g] = span_of(&a->uses[a->from[g]], a->from[g + 1] - a->from[g], p, pace);
		all += a->span[g];
	}
	for (size_t g = 0; g < a->n; g++) {
		struct line_use *at = &a->uses[a->from[g]];
		size_t len = a->from[g + 1] - a->from[g];

		evidence_stage(at, len, p, pace, all - a->span[g]);
		whole_add(&w, at, len);
	}
	apart_back(a, u);
	whole_set(&w, u, n, pace);
	apart_free(a);
}
