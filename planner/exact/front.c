/* SPDX-License-Identifier: MIT */
#include "planner/exact/front.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

void front_init(struct front *f, bool peak)
{
	*f = (struct front){.peak = peak};
}

void front_release(struct front *f)
{
	free(f->at);
	*f = (struct front){0};
}

uint64_t front_second(const struct front *f, const struct cost *c)
{
	return f->peak ? c->peak_mw : c->energy_pj;
}

/* Number of points that take no longer than @ns. */
static uint32_t count_until(const struct front *f, uint64_t ns)
{
	uint32_t lo = 0, hi = f->n;

	while (lo < hi) {
		uint32_t middle = lo + (hi - lo) / 2;

		if (f->at[middle].cost.time_ns <= ns)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

bool front_covers(const struct front *f, const struct cost *c)
{
	uint32_t n = count_until(f, c->time_ns);

	return n && front_second(f, &f->at[n - 1].cost) <= front_second(f, c);
}

static void reserve(struct front *f, uint32_t n)
{
	if (n <= f->cap)
		return;
	f->cap = n < 16 ? 16 : 2 * n;
	f->at = mem_resize(f->at, f->cap, sizeof(*f->at));
}

bool front_add(struct front *f, const struct front_point *point)
{
	uint64_t second = front_second(f, &point->cost);
	uint32_t from, to;

	if (front_covers(f, &point->cost))
		return false;
	reserve(f, f->n + 1);
	from = count_until(f, point->cost.time_ns);
	if (from && f->at[from - 1].cost.time_ns == point->cost.time_ns)
		from--;
	for (to = from; to < f->n && front_second(f, &f->at[to].cost) >= second; to++)
		;
	memmove(&f->at[from + 1], &f->at[to], (f->n - to) * sizeof(*f->at));
	f->n = f->n - (to - from) + 1;
	f->at[from] = *point;
	return true;
}

/* ---- sums ---- */

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* A total order, so that the result does not depend on the library's sort. */
static int compare_points(const struct front_point *a, const struct front_point *b, bool peak)
{
	int c = order(a->cost.time_ns, b->cost.time_ns);

	if (!c && peak)
		c = order(a->cost.peak_mw, b->cost.peak_mw);
	if (!c)
		c = order(a->cost.energy_pj, b->cost.energy_pj);
	if (!c)
		c = order(a->left, b->left);
	return c ? c : order(a->right, b->right);
}

static int by_energy(const void *a, const void *b)
{
	return compare_points(a, b, false);
}

static int by_peak(const void *a, const void *b)
{
	return compare_points(a, b, true);
}

void front_sum(const struct front *a, const struct front *b, uint64_t times, struct front *out)
{
	uint32_t n = 0;

	front_init(out, a->peak);
	reserve(out, a->n * b->n);
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++) {
			struct front_point *at = &out->at[n++];

			*at = (struct front_point){a->at[i].cost, i, k};
			cost_add(&at->cost, &b->at[k].cost, times);
		}
	if (n)
		qsort(out->at, n, sizeof(*out->at), a->peak ? by_peak : by_energy);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t second = front_second(out, &out->at[i].cost);

		if (!out->n || second < front_second(out, &out->at[out->n - 1].cost))
			out->at[out->n++] = out->at[i];
	}
}

/* ---- thinning ---- */

/* Which of @cells equal parts of [low, high] holds @x. */
static uint64_t exact_front_cell(uint64_t x, uint64_t low, uint64_t high, uint32_t cells)
{
	return (uint64_t)((unsigned __int128)(x - low) * cells / (high - low + 1));
}

/* The second figure of a joined point is that of the last one that was joined to it. */
static void exact_front_join(const struct front *f, struct front_point *to, const struct front_point *last)
{
	if (f->peak)
		to->cost.peak_mw = last->cost.peak_mw;
	else
		to->cost.energy_pj = last->cost.energy_pj;
}

void front_thin(struct front *f, uint32_t most, bool bound)
{
	uint64_t from, to, low, high, x = UINT64_MAX, y = UINT64_MAX;
	uint32_t kept = 0;

	if (f->n <= most)
		return;
	from = f->at[0].cost.time_ns;
	to = f->at[f->n - 1].cost.time_ns;
	high = front_second(f, &f->at[0].cost);
	low = front_second(f, &f->at[f->n - 1].cost);
	for (uint32_t i = 0; i < f->n; i++) {
		struct front_point at = f->at[i];
		uint64_t cx = exact_front_cell(at.cost.time_ns, from, to, most / 2);
		uint64_t cy = exact_front_cell(front_second(f, &at.cost), low, high, most / 2);

		if (cx != x || cy != y || i + 1 == f->n)
			f->at[kept++] = at;
		else if (bound)
			exact_front_join(f, &f->at[kept - 1], &at);
		x = cx;
		y = cy;
	}
	f->n = kept;
}

/* ---- questions ---- */

uint32_t front_best(const struct front *f, const struct goal *goal)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < f->n; i++)
		if (best == UINT32_MAX || cost_compare(&f->at[i].cost, &f->at[best].cost, goal) < 0)
			best = i;
	return best;
}

/* How much larger @p is than @q in the worse of the two figures. */
static double distance(const struct front *f, const struct cost *p, const struct cost *q)
{
	double x = (double)p->time_ns, y = (double)front_second(f, p);
	double u = (double)q->time_ns, v = (double)front_second(f, q);
	double time = u > 0 ? x / u - 1 : 0, second = v > 0 ? y / v - 1 : 0, worse;

	worse = time > second ? time : second;
	return worse > 0 ? worse : 0;
}

double front_error(const struct front *reached, const struct front *bound)
{
	double worst = 0;

	for (uint32_t i = 0; i < bound->n; i++) {
		double least = reached->n ? distance(reached, &reached->at[0].cost, &bound->at[i].cost) : 1;

		for (uint32_t k = 1; k < reached->n && least > 0; k++) {
			double d = distance(reached, &reached->at[k].cost, &bound->at[i].cost);

			least = d < least ? d : least;
		}
		worst = least > worst ? least : worst;
	}
	return worst;
}

uint32_t front_knee(const struct front *f)
{
	double from, width, low, height, most = 0;
	uint32_t knee = UINT32_MAX;

	if (f->n < 3)
		return knee;
	from = (double)f->at[0].cost.time_ns;
	width = (double)f->at[f->n - 1].cost.time_ns - from;
	low = (double)front_second(f, &f->at[f->n - 1].cost);
	height = (double)front_second(f, &f->at[0].cost) - low;
	for (uint32_t i = 1; i + 1 < f->n; i++) {
		double x = ((double)f->at[i].cost.time_ns - from) / width;
		double y = ((double)front_second(f, &f->at[i].cost) - low) / height;

		if (1 - x - y > most) {
			most = 1 - x - y;
			knee = i;
		}
	}
	return knee;
}
