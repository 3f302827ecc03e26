/* SPDX-License-Identifier: MIT */
#include "report/counters/spread.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/search.h"
#include "lib/vec.h"
#include "report/time/collect.h"

#define ROW_WAIT UINT32_MAX /* the thread waited: nothing was counted */

/* A logged call or a wait. */
struct item {
	uint64_t begin, end;
	uint32_t row;
};

/* A stretch of time by the innermost logged call round it. */
struct piece {
	uint64_t begin, end;
	uint32_t row;
};
struct item_list VEC(struct item);
struct piece_list VEC(struct piece);

struct spread {
	const struct run_counters *c;
	const struct run_counts *counts;
	struct spread_row *rows;
	size_t n;
	uint64_t start;
	struct piece_list pieces;
	double *covered; /* ticks of each row in the log */
	double *within;  /* ... in the interval at hand */
	double pool[PRS_EVENTS_MAX];
};

/* The row of @site, or the last one. */
static uint32_t row_of(const struct spread *s, uint32_t site)
{
	size_t lo = search_first(s->n - 1, i, s->rows[i].site < site);

	return (uint32_t)(s->rows[lo].site == site ? lo : s->n - 1);
}

static int spread_by_begin(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (y->end > x->end) - (y->end < x->end); /* the outer one first */
}

static void list_items(const struct spread *s, const struct run_thread *t, struct item_list *items)
{
	for (size_t i = 0; i < t->n_log; i++) {
		const struct prs_log *l = &t->log[i];
		uint64_t begin = l->end > l->ticks ? l->end - l->ticks : 0;

		vec_push(items, ((struct item){begin, l->end, row_of(s, l->site)}));
	}
	for (size_t i = 0; i < t->n_events; i++)
		if (is_wait(t->events[i].kind))
			vec_push(items, ((struct item){t->events[i].begin, t->events[i].end, ROW_WAIT}));
	if (items->n)
		qsort(items->at, items->n, sizeof(*items->at), spread_by_begin);
}

static void emit(struct spread *s, uint64_t *at, uint64_t end, uint32_t row)
{
	if (end <= *at)
		return;
	vec_push(&s->pieces, ((struct piece){*at, end, row}));
	*at = end;
}

/* Leave the calls that ended by @until. */
static void leave(struct spread *s, struct item_list *open, uint64_t *at, uint64_t until)
{
	while (open->n && open->at[open->n - 1].end <= until) {
		emit(s, at, open->at[open->n - 1].end, open->at[open->n - 1].row);
		open->n--;
	}
}

/* Cut the thread's life at the ends of everything; calls of one thread lie inside one another. */
static void spread_cut(struct spread *s, const struct run_thread *t)
{
	struct item_list items = VEC_INIT, open = VEC_INIT;
	uint32_t none = (uint32_t)s->n - 1;
	uint64_t at = s->start, last = s->counts->ticks[s->counts->n - 1];

	list_items(s, t, &items);
	for (size_t i = 0; i < items.n; i++) {
		struct item it = items.at[i];

		leave(s, &open, &at, it.begin);
		emit(s, &at, it.begin, open.n ? open.at[open.n - 1].row : none);
		if (open.n && it.end > open.at[open.n - 1].end)
			it.end = open.at[open.n - 1].end;
		vec_push(&open, it);
	}
	leave(s, &open, &at, UINT64_MAX);
	emit(s, &at, last, none);
	vec_release(&items);
	vec_release(&open);
}

static void add_covered(struct spread *s)
{
	for (size_t i = 0; i < s->pieces.n; i++) {
		const struct piece *p = &s->pieces.at[i];

		if (p->row != ROW_WAIT)
			s->covered[p->row] += (double)(p->end - p->begin);
	}
}

/* Share of its logged time that was a row's own; all that no logged call covers is everybody's. */
static double own_share(const struct spread *s, uint32_t row)
{
	if (row == s->n - 1 || s->covered[row] <= 0)
		return 0;
	return s->rows[row].self < s->covered[row] ? s->rows[row].self / s->covered[row] : 1;
}

/* Fill s->within for [from, to); returns the ticks in it that were no wait. */
static double look_into(struct spread *s, size_t *first, uint64_t from, uint64_t to)
{
	double busy = 0;

	while (*first < s->pieces.n && s->pieces.at[*first].end <= from)
		++*first;
	for (size_t i = *first; i < s->pieces.n && s->pieces.at[i].begin < to; i++) {
		const struct piece *p = &s->pieces.at[i];
		uint64_t a = p->begin > from ? p->begin : from, b = p->end < to ? p->end : to;

		if (p->row == ROW_WAIT || b <= a)
			continue;
		s->within[p->row] += (double)(b - a);
		busy += (double)(b - a);
	}
	return busy;
}

static double count_of(const struct spread *s, size_t i, size_t event)
{
	double before = i ? s->counts->sums[(i - 1) * s->c->n_events + event] : 0;

	return s->counts->sums[i * s->c->n_events + event] - before;
}

static void deal_interval(struct spread *s, size_t i, size_t first, uint64_t to, double busy)
{
	double rest = 1;

	for (size_t k = first; k < s->pieces.n && s->pieces.at[k].begin < to; k++) {
		uint32_t row = s->pieces.at[k].row;
		double part;

		if (row == ROW_WAIT || !s->within[row])
			continue;
		part = busy > 0 ? s->within[row] / busy * own_share(s, row) : 0;
		for (size_t e = 0; e < s->c->n_events; e++)
			s->rows[row].counts[e] += part * count_of(s, i, e);
		rest -= part;
		s->within[row] = 0;
	}
	for (size_t e = 0; e < s->c->n_events; e++)
		s->pool[e] += rest * count_of(s, i, e);
}

static void spread_deal(struct spread *s)
{
	uint64_t from = s->start;
	size_t first = 0;

	for (size_t i = 0; i < s->counts->n; i++) {
		uint64_t to = s->counts->ticks[i];
		double busy = look_into(s, &first, from, to);

		deal_interval(s, i, first, to, busy);
		from = to;
	}
}

/* Self time of a row that no logged call of its own covers. */
static double uncovered(const struct spread *s, size_t row)
{
	double left = s->rows[row].self - own_share(s, (uint32_t)row) * s->covered[row];

	return left > 0 ? left : 0;
}

static void deal_pool(struct spread *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += uncovered(s, i);
	for (size_t i = 0; i < s->n; i++) {
		double part = sum > 0 ? uncovered(s, i) / sum : i == s->n - 1;

		for (size_t e = 0; e < s->c->n_events; e++)
			s->rows[i].counts[e] += part * s->pool[e];
	}
}

void spread_counts(const struct run_process *p, const struct run_thread *t, struct spread_row *rows, size_t n)
{
	struct spread s = {.c = p->counters,
			   .counts = &p->counters->threads[t->raw->index],
			   .rows = rows,
			   .n = n,
			   .start = t->raw->start_tsc};

	for (size_t i = 0; i < n; i++)
		memset(rows[i].counts, 0, sizeof(rows[i].counts));
	if (!s.counts->n)
		return;
	s.covered = mem_new(n, sizeof(*s.covered));
	s.within = mem_new(n, sizeof(*s.within));
	spread_cut(&s, t);
	add_covered(&s);
	spread_deal(&s);
	deal_pool(&s);
	vec_release(&s.pieces);
	free(s.covered);
	free(s.within);
}
