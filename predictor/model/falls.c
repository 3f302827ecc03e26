/* SPDX-License-Identifier: MIT */
/* Figures that fall as a parameter grows: no model of the search space does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predictor/model/growth.h"

#define FALL   0.01 /* of the logarithm: less is none ... */
#define BEYOND 2.0  /* ... and so is less than so many standard deviations of the noise */
#define WINDOW 4    /* sizes in a row that fall, at one end of them */
#define TREND  2.4  /* Kendall's S over its standard deviation: 5 in a row have 2.45 ... */
#define ALL    2.0  /* ... and of all sizes, or of those that fall by STEEP: 4 in a row have 2.04 */
#define STEEP  0.4
#define DROP   0.69 /* between two sizes next to each other: half; and ... */
#define ALIKE  5.0  /* ... so many deviations of the other steps' exponents */
#define PAIRS  6    /* of sizes that differ in one parameter of several: all fall ... */
#define HALVED 0.7  /* ... or 3 of them, one by half */
#define FEWEST 3

/* 1: the figure falls from size @a to @b; -1: it rises; 0: nobody can tell. */
static int fall_of(const struct growth_size *a, const struct growth_size *b)
{
	double noise = sqrt(a->variance / (double)a->runs + b->variance / (double)b->runs),
	       fall = log(a->y / b->y);

	if (fabs(fall) < fmax(FALL, BEYOND * noise))
		return 0;
	return fall > 0 ? 1 : -1;
}

static int by_first(const void *a, const void *b)
{
	double d = ((const struct growth_size *)a)->x[0] - ((const struct growth_size *)b)->x[0];

	return (d > 0) - (d < 0);
}

/* Kendall's S of falling over its standard deviation, of @n sizes from @at on. */
static double trend_of(const struct growth_size *at, size_t n)
{
	double sum = 0, m = (double)n;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			sum += fall_of(&at[i], &at[k]);
	return sum / sqrt(m * (m - 1) * (2 * m + 5) / 18);
}

/* From one size to the next one: by how much the logarithm of the figure rises, and of the size. */
static double step_of(const struct growth_size *at, size_t i, double *wide)
{
	*wide = log(at[i + 1].x[0] / at[i].x[0]);
	return log(at[i + 1].y / at[i].y);
}

/* Does the figure drop from size @i to the next, as no other step would have it?  3 steps at least. */
static bool drops_at(const struct growth_size *at, size_t n, size_t i)
{
	double mean = 0, square = 0, wide, here, steps = (double)(n - 2);

	here = step_of(at, i, &wide);
	if (n < WINDOW || -here < DROP || fall_of(&at[i], &at[i + 1]) <= 0)
		return false;
	for (size_t k = 0; k + 1 < n; k++)
		mean += k == i ? 0 : step_of(at, k, &wide) / wide / steps;
	for (size_t k = 0; k + 1 < n; k++) {
		double off = k == i ? 0 : step_of(at, k, &wide) - mean * wide;

		square += off * off / (steps - 1);
	}
	step_of(at, i, &wide);
	return mean * wide - here >= ALIKE * sqrt(square);
}

/* A threshold from which on the task does less: one step that drops among others that do not. */
static bool falls_once(const struct growth_size *at, size_t n, struct growth_fall *out)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (drops_at(at, n, i)) {
			*out = (struct growth_fall){0, at[i], at[i + 1]};
			return true;
		}
	return false;
}

static bool falls_along_one(const struct growth_sizes *s, struct growth_fall *out)
{
	struct growth_size at[GROWTH_SIZES];
	size_t n = s->n, from = 0, to = n;
	bool found, steep;

	if (n < WINDOW)
		return false;
	memcpy(at, s->at, n * sizeof(at[0]));
	qsort(at, n, sizeof(at[0]), by_first);
	found = n >= GROWTH_LEAST && trend_of(at, n) >= ALL;
	for (size_t length = n; !found && --length >= WINDOW;)
		for (size_t end = 0; !found && end < 2; end++) {
			from = end ? n - length : 0;
			to = from + length;
			steep = log(at[from].y / at[to - 1].y) >= STEEP;
			found = trend_of(at + from, length) >= (steep ? ALL : TREND);
		}
	if (!found)
		return falls_once(at, n, out);
	*out = (struct growth_fall){0, at[from], at[to - 1]};
	return true;
}

/* Do @a and @b differ in nothing but parameter @j, of which @b has more? */
static bool is_step(const struct growth_sizes *s, size_t j, const struct growth_size *a,
		    const struct growth_size *b)
{
	for (size_t k = 0; k < s->params; k++)
		if (k == j ? a->x[k] >= b->x[k] : a->x[k] != b->x[k])
			return false;
	return true;
}

static bool falls_along(const struct growth_sizes *s, size_t j, struct growth_fall *out)
{
	size_t falling = 0, pairs = 0;
	double most = 0;

	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->n; k++) {
			const struct growth_size *a = &s->at[i], *b = &s->at[k];

			if (!is_step(s, j, a, b))
				continue;
			pairs++;
			falling += fall_of(a, b) > 0;
			if (log(a->y / b->y) <= most)
				continue;
			most = log(a->y / b->y);
			*out = (struct growth_fall){j, *a, *b};
		}
	return falling == pairs && (pairs >= PAIRS || (pairs >= FEWEST && most >= HALVED));
}

bool growth_falls(const struct growth_sizes *s, struct growth_fall *out)
{
	if (s->params == 1)
		return falls_along_one(s, out);
	for (size_t j = 0; j < s->params; j++)
		if (falls_along(s, j, out))
			return true;
	return false;
}
