/* SPDX-License-Identifier: MIT */
#include "predictor/probe/choose.h"

#include <math.h>
#include <string.h>

#define MOST_RUNS  60   /* of all sizes together */
#define TWICE      2    /* runs of each size */
#define CHEAP      1e-3 /* of the target: NEXT_CHEAP_RUNS */
#define CAUTION    0.7  /* of a prediction counts, for the budget */
#define FLAT       2.0  /* times the smallest figure: less is start-up cost ... */
#define FLAT_SIZES 8    /* ... or a task that does not grow */
#define FLAT_STEP  1.5  /* times the largest size */
#define AGAIN      0.02 /* of what is left, for another run of a size before there are enough of them */
#define RUNG       4    /* steps of the ladder: sizes that tasks of a history have in common from the first */
#define RUNGS      (NEXT_LADDER / RUNG)
#define START_PART 0.1 /* of the budget, for one of the first sizes */

/* Sizes with the mean figure and number of runs of each, smallest figure first. */
static bool sizes_so_far(const struct next_plan *p, const struct next_state *st, struct growth_sizes *s)
{
	return !growth_sizes_make(s, p->params, st->runs, st->n, NULL) && s->n;
}

/* Is size @i one of the upper half of those that differ from it in nothing but parameter @j?  @n: how many there are. */
static bool is_upper(const struct growth_sizes *s, size_t j, size_t i, size_t *n)
{
	size_t larger = 0;

	*n = 0;
	for (size_t a = 0; a < s->n; a++) {
		bool alone = true;

		for (size_t k = 0; k < s->params; k++)
			alone &= k == j || s->at[a].x[k] == s->at[i].x[k];
		*n += alone;
		larger += alone && s->at[a].x[j] > s->at[i].x[j];
	}
	return larger < *n / 2 + 1;
}

/* The exponent of parameter @j among larger sizes that differ in nothing else: a line of logarithms; NAN: not seen. */
static double exponent_of(const struct growth_sizes *s, size_t j)
{
	const struct growth_size *base = NULL;
	double sum = 0, x = 0, y = 0, xx = 0, xy = 0;
	size_t n, most = 1;

	for (size_t i = 0; i < s->n; i++) {
		is_upper(s, j, i, &n);
		base = n > most ? &s->at[i] : base;
		most = n > most ? n : most;
	}
	for (size_t i = 0; base && i < s->n; i++) {
		bool alone = is_upper(s, j, i, &n);
		double a = log(s->at[i].x[j]), b = log(s->at[i].y);

		for (size_t k = 0; k < s->params; k++)
			alone &= k == j || s->at[i].x[k] == base->x[k];
		if (!alone)
			continue;
		sum++;
		x += a;
		y += b;
		xx += a * a;
		xy += a * b;
	}
	return base ? (sum * xy - x * y) / (sum * xx - x * x) : NAN;
}

/* By powers of each parameter alone, from the size of the largest figure, at least @least. NAN: nobody knows. */
static double by_powers(const struct growth_sizes *s, const double *x, double least)
{
	const struct growth_size *last = &s->at[s->n - 1];
	double ln = log(last->y);

	for (size_t j = 0; j < s->params; j++) {
		double slope = x[j] == last->x[j] ? 0 : exponent_of(s, j);

		ln += fmax(slope, least) * log(x[j] / last->x[j]);
		if (isnan(slope))
			return NAN;
	}
	return exp(ln);
}

/*
 * What the target takes, for the budget: rather too little than too much.  With few sizes nobody sees more
 * than the start-up cost yet, so each parameter counts as linear at least.  0: nothing is known.
 */
static double expected_of(const struct next_plan *p, const struct growth_sizes *s,
			  const struct growth_fit *fit, size_t least)
{
	struct growth_estimate e;
	double y;

	if (fit->models.n && s->n >= least) {
		e = growth_estimate(fit, p->target, 0);
		y = fmax(sqrt(e.low * e.middle), CAUTION * e.middle);
	} else {
		y = by_powers(s, p->target, 1);
	}
	return isfinite(y) ? y : 0;
}

/* A size that has too few runs and can be paid for once more. */
static bool want_again(const struct next_plan *p, const struct next_state *st, const struct growth_sizes *s,
		       double expected, bool enough, double *x)
{
	double left = p->share * expected - st->spent;

	if (growth_exact(s))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		const struct growth_size *at = &s->at[i];
		size_t runs = at->y <= CHEAP * p->share / 0.05 * expected ? NEXT_CHEAP_RUNS : TWICE;

		if (at->runs >= runs ||
		    (expected > 0 && at->y + p->start > (enough ? NEXT_OF_LEFT : AGAIN) * left))
			continue;
		memcpy(x, at->x, sizeof(at->x));
		return true;
	}
	return false;
}

/* Nothing larger can be paid for: the largest size that lies between those that were run, for @most. */
static enum next_end start_between(const struct next_plan *p, const struct growth_sizes *s, double most,
				   double *x)
{
	for (size_t level = NEXT_FINE; level-- > 1;) {
		x[0] = next_level(p, 0, level, NEXT_FINE);
		if (x[0] < s->at[s->n - 1].x[0] && !next_size(s, x) && by_powers(s, x, 0) + p->start <= most)
			return NEXT_PROBE;
	}
	return NEXT_SPENT;
}

/* The first sizes of one parameter: each costs a tenth of the budget at most, as far as can be seen. */
static enum next_end start_line(const struct next_plan *p, const struct next_state *st,
				const struct growth_sizes *s, double expected, double *x)
{
	const double *last = s->n ? s->at[s->n - 1].x : NULL;
	double budget = p->share * expected;
	size_t chosen = 0, steps = 0;

	if (!last) {
		x[0] = p->from[0];
		return NEXT_PROBE;
	}
	for (size_t level = 1; level < NEXT_GRID && steps < 3; level++) {
		double there = next_level(p, 0, level, NEXT_GRID), cost;

		x[0] = there;
		if (there <= last[0] || next_size(s, x))
			continue;
		cost = by_powers(s, x, 0);
		steps++;
		if (steps == 1 || (s->n == 1 && steps == 2) ||
		    (cost + p->start <= START_PART * budget && cost + p->start + st->spent < budget))
			chosen = level;
	}
	x[0] = next_level(p, 0, chosen, NEXT_GRID);
	if (chosen && !(expected > 0 && by_powers(s, x, 0) + p->start > NEXT_OF_LEFT * (budget - st->spent)))
		return NEXT_PROBE;
	return start_between(p, s, budget - st->spent, x);
}

/* ... of several: along each of them, then all together. */
static enum next_end start_star(const struct next_plan *p, const struct growth_sizes *s, double *x)
{
	size_t most = next_levels(p->params);

	for (size_t step = 0; step <= 2 * p->params + 1; step++) {
		for (size_t j = 0; j < p->params; j++) {
			bool mine = step && (step - 1) / 2 == j;
			size_t level = step == 2 * p->params + 1 ? 1 : mine ? 1 + (step - 1) % 2 : 0;

			x[j] = next_level(p, j, level, most);
		}
		if (!next_size(s, x))
			return NEXT_PROBE;
	}
	return NEXT_SPENT;
}

/*
 * Nobody has seen more than the start-up cost yet: half as large again costs little, whatever the growth.
 * True with the next size in @x.
 */
static bool start_flat(const struct next_plan *p, const struct growth_sizes *s, double *x)
{
	double largest = 0;

	if (p->params > 1 || !s->n || s->n >= FLAT_SIZES || s->at[s->n - 1].y > FLAT * s->at[0].y)
		return false;
	for (size_t i = 0; i < s->n; i++)
		largest = fmax(largest, s->at[i].x[0]);
	for (size_t level = 1; level < NEXT_GRID; level++) {
		x[0] = next_level(p, 0, level, NEXT_GRID);
		if (x[0] >= FLAT_STEP * largest)
			return true;
	}
	return false;
}

/* With sizes and models at hand. */
static enum next_end propose(const struct next_plan *p, const struct next_state *st,
			     const struct growth_sizes *s, const struct growth_fit *fit, double *x)
{
	size_t all = p->models > p->params ? p->models : p->params,
	       least = all > 1 ? 2 * all + 2 : GROWTH_LEAST;
	double expected = s->n ? expected_of(p, s, fit, least) : 0;

	if (start_flat(p, s, x))
		return NEXT_PROBE;
	if (expected > 0 && st->spent >= p->share * expected)
		return NEXT_SPENT;
	if (s->n > 1 && want_again(p, st, s, expected, s->n >= least, x))
		return NEXT_PROBE;
	if (s->n < least)
		return p->params == 1 ? start_line(p, st, s, expected, x) : start_star(p, s, x);
	return next_choose(p, st, s, fit, p->share * expected - st->spent, x);
}

double next_start(const double *count, const double *time, size_t n)
{
	double sum = 0, x = 0, y = 0, xx = 0, xy = 0, slope, constant;

	/* By relative errors: each time counts as 1. */
	for (size_t i = 0; i < n; i++) {
		double w = 1 / (time[i] * time[i]);

		sum += w;
		x += w * count[i];
		y += w * time[i];
		xx += w * count[i] * count[i];
		xy += w * count[i] * time[i];
	}
	slope = (sum * xy - x * y) / (sum * xx - x * x);
	constant = (y - slope * x) / sum;
	return slope > 0 && isfinite(slope) && constant > 0 ? constant / slope : 0;
}

enum next_end next_probe(const struct next_plan *plan, const struct next_state *st, double *x)
{
	struct growth_sizes s = {.params = plan->params};
	struct growth_fit fit = {0};
	enum next_end end;

	memset(x, 0, GROWTH_PARAMS * sizeof(*x));
	if (st->n >= MOST_RUNS || (st->n && !sizes_so_far(plan, st, &s)))
		return NEXT_ENOUGH;
	/* Without models powers have to do. */
	if (s.n)
		growth_fit(&fit, &s, plan->target, GROWTH_ANY, NULL);
	end = propose(plan, st, &s, &fit, x);
	growth_fit_release(&fit);
	return end;
}

void next_ladder(const struct next_plan *plan, size_t step, double *x)
{
	for (size_t j = 0; j < plan->params; j++)
		x[j] = next_level(plan, j, step, NEXT_LADDER);
}

enum next_end next_rung(const struct next_plan *plan, const struct next_state *st, double *x)
{
	struct growth_sizes s = {.params = plan->params};
	double ln[RUNGS], step, linear = 0, whole;
	size_t n = 0, half;

	memset(x, 0, GROWTH_PARAMS * sizeof(*x));
	if (st->n >= MOST_RUNS || (st->n && !sizes_so_far(plan, st, &s)))
		return NEXT_ENOUGH;
	for (; n < RUNGS; n++) {
		const struct growth_size *at;

		next_ladder(plan, RUNG * n, x);
		at = next_size(&s, x);
		if (!at)
			break;
		ln[n] = log(at->y);
	}
	if (n < 2)
		return NEXT_PROBE;
	if (n == RUNGS)
		return NEXT_SPENT;
	/* The upper half says how a figure grows from rung to rung. */
	half = (n - 1) / 2;
	step = fmax((ln[n - 1] - ln[half]) / (double)(n - 1 - half), 0);
	for (size_t j = 0; j < plan->params; j++)
		linear += log(plan->target[j] / plan->from[j]) / RUNGS;
	whole = exp(ln[n - 1] + fmax(step, linear) * (double)(RUNGS - n + 1));
	return exp(ln[n - 1] + step) + plan->start <= plan->share * whole - st->spent ? NEXT_PROBE
										      : NEXT_SPENT;
}
