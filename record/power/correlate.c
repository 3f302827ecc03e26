/* SPDX-License-Identifier: MIT */
/*
 * Pearson's coefficient of the mean power and the CPU time of windows, over start
 * and drift: coarsely everywhere, finely round the best places.  Windows in front of
 * the run and behind it count, too: the program did nothing in them.
 */
#include "record/power/correlate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

#define COARSE      200  /* windows of the run in the first search */
#define MARGIN      0.25 /* of the run, in front and behind */
#define AT_LIMIT    0.99 /* of the largest drift: a larger one would fit better */
#define PLACES      6    /* that are looked at finely */
#define AS_WELL     0.97 /* of the best coefficient: another place fits as well */
#define NEAR_1970_S 10.0 /* how wrong two clocks of the day may be */

/* Joules from the first reading to each, so that any window takes two look-ups. */
struct sums {
	const struct series *s;
	double *joules;
};

/* What the run did in windows of one length, with windows of nothing round it. */
struct activity {
	double *busy, width, begin; /* begin: of the first window, in seconds of the run */
	size_t n;
};

static struct sums sums_make(const struct series *s)
{
	struct sums x = {s, mem_new(s->n, sizeof(double))};

	for (size_t i = 1; i < s->n; i++)
		x.joules[i] = x.joules[i - 1] + (s->t[i] - s->t[i - 1]) * (s->watts[i] + s->watts[i - 1]) / 2;
	return x;
}

/* Joules up to @t; *at: a guess of the reading behind it, kept for the next call. */
static double sums_until(const struct sums *x, double t, size_t *at)
{
	const struct series *s = x->s;
	double d, w;

	while (*at > 1 && s->t[*at - 1] > t)
		--*at;
	while (*at < s->n - 1 && s->t[*at] < t)
		++*at;
	d = t - s->t[*at - 1];
	w = s->watts[*at - 1] + (s->watts[*at] - s->watts[*at - 1]) * d / (s->t[*at] - s->t[*at - 1]);
	return x->joules[*at - 1] + d * (s->watts[*at - 1] + w) / 2;
}

static struct activity activity_make(const struct align_run *run, size_t most)
{
	size_t join = most && run->n_busy > most ? (run->n_busy + most - 1) / most : 1;
	size_t n = (run->n_busy + join - 1) / join, margin = (size_t)(MARGIN * (double)n) + 4;
	struct activity a = {NULL, (double)join * run->window, 0, n + 2 * margin};

	a.begin = -(double)margin * a.width;
	a.busy = mem_new(a.n, sizeof(*a.busy));
	for (size_t i = 0; i < run->n_busy; i++)
		a.busy[margin + i / join] += run->busy[i];
	return a;
}

/* A start of the search: the reading behind @t. */
static size_t guess(const struct series *s, double t)
{
	size_t low = 1, high = s->n - 1;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (s->t[mid] < t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The coefficient at @start and @drift; -1 where the file holds too little. */
static double coefficient(const struct sums *x, const struct activity *a, double start, double drift,
			  double seconds)
{
	const struct series *s = x->s;
	double first = s->t[0], last = s->t[s->n - 1], step = a->width * (1 + drift);
	double sb = 0, sp = 0, sbb = 0, spp = 0, sbp = 0, n = 0, before, from, inside = 0;
	size_t at = guess(s, start + a->begin * (1 + drift));

	from = start + a->begin * (1 + drift);
	before = sums_until(x, fmin(fmax(from, first), last), &at);
	for (size_t i = 0; i < a->n; i++, from += step) {
		double to = from + step, now, p;

		if (from < first || to > last) {
			before = sums_until(x, fmin(fmax(to, first), last), &at);
			continue;
		}
		now = sums_until(x, to, &at);
		p = (now - before) / step;
		before = now;
		inside += from >= start - step / 2 && to <= start + seconds * (1 + drift) + step ? step : 0;
		n++;
		sb += a->busy[i];
		sp += p;
		sbb += a->busy[i] * a->busy[i];
		spp += p * p;
		sbp += a->busy[i] * p;
	}
	if (n < 8 || inside < 0.9 * seconds || n * sbb - sb * sb <= 0 || n * spp - sp * sp <= 1e-9 * sp * sp)
		return -1;
	return (n * sbp - sb * sp) / sqrt((n * sbb - sb * sb) * (n * spp - sp * sp));
}

/* A problem with its windows. */
struct search {
	const struct align_run *run;
	struct sums x;
	struct activity coarse, fine;
	double low, high; /* of start */
};

static void search_begin(struct search *q, const struct series *s, const struct align_run *run)
{
	double length = run->seconds;

	*q = (struct search){.run = run, .x = sums_make(s)};
	q->coarse = activity_make(run, COARSE);
	q->fine = activity_make(run, 0);
	q->low = s->t[0] - 0.1 * length;
	q->high = s->t[s->n - 1] - 0.9 * length;
	/* Two clocks of the day are near to each other. */
	if (s->t[0] > 1e8 && run->started > 1e8 && fabs(s->t[0] - run->started) < 86400) {
		q->low = fmax(q->low, run->started - NEAR_1970_S);
		q->high = fmin(q->high, run->started + NEAR_1970_S);
	}
}

static void search_end(struct search *q)
{
	free(q->x.joules);
	free(q->coarse.busy);
	free(q->fine.busy);
}

static double at(const struct search *q, const struct activity *a, const struct correlation *c)
{
	return coefficient(&q->x, a, c->start, c->drift, q->run->seconds);
}

/* What a climb may change; end_is_held: the start moves with the drift so that the end of the run stays. */
struct freedom {
	bool start, drift, end_is_held;
};

/* Climb from *c by steps that are halved. */
static void climb(const struct search *q, struct correlation *c, struct freedom may)
{
	double width = q->coarse.width / 2, drift = width / q->run->seconds;

	c->fit = at(q, &q->fine, c);
	while (width > q->x.s->interval / 64 && width > 1e-7) {
		static const int moves[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}};
		bool better = false;

		for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
			struct correlation next = *c;

			if ((!may.start && moves[i][0]) || (!may.drift && moves[i][1]))
				continue;
			next.drift += moves[i][1] * drift;
			next.start += moves[i][0] * width;
			if (may.end_is_held)
				next.start -= moves[i][1] * drift * q->run->seconds;
			if (fabs(next.drift) > ALIGN_MOST_DRIFT)
				continue;
			next.fit = at(q, &q->fine, &next);
			if (next.fit > c->fit) {
				*c = next;
				better = true;
			}
		}
		if (better)
			continue;
		width /= 2;
		drift /= 2;
	}
}

/* By how much a fit may be worse by chance. */
static double by_chance(const struct search *q, double fit)
{
	return 2 * (1 - fit * fit) / sqrt((double)q->fine.n);
}

/* Over a short run a drift is noise: a clock that is right fits as well. */
static void prefer_right_clock(const struct search *q, struct correlation *c, struct freedom may)
{
	struct correlation right = *c;

	right.start += may.end_is_held ? c->drift * q->run->seconds : 0;
	right.drift = 0;
	climb(q, &right, may);
	if (right.fit > 0 && right.fit >= c->fit - by_chance(q, c->fit))
		*c = right;
}

/* How far the start can go before the fit is worse than chance would make it. */
static double error_of(const struct search *q, const struct correlation *c)
{
	double least = by_chance(q, c->fit), d = q->x.s->interval / 4;
	struct correlation a = *c, b = *c;

	for (; d < q->run->seconds / 4; d *= 1.25) {
		a.start = c->start - d;
		b.start = c->start + d;
		if (c->fit - at(q, &q->fine, &a) > least && c->fit - at(q, &q->fine, &b) > least)
			break;
	}
	return d;
}

/* Keep the best places that are not near to one another. */
static void keep(struct correlation *best, const struct correlation *c, double distance)
{
	size_t worst = 0;

	for (size_t i = 0; i < PLACES; i++) {
		if (best[i].fit > 0 && fabs(best[i].start - c->start) < distance) {
			if (c->fit > best[i].fit)
				best[i] = *c;
			return;
		}
		worst = best[i].fit < best[worst].fit ? i : worst;
	}
	if (c->fit > best[worst].fit)
		best[worst] = *c;
}

static void look_everywhere(const struct search *q, struct correlation *best)
{
	double step = q->coarse.width / 2, drift = q->coarse.width / q->run->seconds;
	int drifts = (int)(ALIGN_MOST_DRIFT / drift);

	for (double start = q->low; start <= q->high; start += step)
		for (int i = -drifts; i <= drifts; i++) {
			struct correlation c = {.start = start, .drift = i * drift};

			c.fit = at(q, &q->coarse, &c);
			keep(best, &c, 4 * q->coarse.width);
		}
}

static int by_fit(const void *a, const void *b)
{
	const struct correlation *x = a, *y = b;

	return (x->fit < y->fit) - (x->fit > y->fit);
}

int correlate_find(struct correlation *c, const struct series *s, const struct align_run *run,
		   struct err *err)
{
	struct correlation best[PLACES] = {{0}};
	struct search q;

	if (!run->n_busy)
		return err_set(err, -EINVAL,
			       "what the program did over time is not known: a trigger is needed");
	search_begin(&q, s, run);
	look_everywhere(&q, best);
	for (size_t i = 0; i < PLACES; i++)
		if (best[i].fit > 0)
			climb(&q, &best[i], (struct freedom){true, true, false});
	qsort(best, PLACES, sizeof(best[0]), by_fit);
	*c = best[0];
	if (c->fit > 0)
		prefer_right_clock(&q, c, (struct freedom){true, false, false});
	c->error = c->fit > 0 ? error_of(&q, c) : 0;
	search_end(&q);
	if (c->fit < CORRELATE_LEAST) {
		err_set(err, -EINVAL,
			"power and what the program did go together nowhere in the meter's file: %.2f at "
			"best, at %.6g s",
			c->fit, c->start);
		return err_advise(err, "a trigger, or a second of idleness before and after the run, would "
				       "tell where it is");
	}
	if (fabs(c->drift) > AT_LIMIT * ALIGN_MOST_DRIFT)
		return err_set(err, -EINVAL,
			       "the run fits best to %.6g s of the meter's time with a clock that is off by "
			       "%.1f %% or "
			       "more: it is another run",
			       c->start, 100 * ALIGN_MOST_DRIFT);
	for (size_t i = 1; i < PLACES; i++)
		if (best[i].fit > AS_WELL * c->fit &&
		    fabs(best[i].start - c->start) > fmax(2 * c->error, q.coarse.width)) {
			err_set(err, -EINVAL,
				"the run fits to %.6g s of the meter's time (%.3f) and to %.6g s as well "
				"(%.3f)",
				c->start, c->fit, best[i].start, best[i].fit);
			return err_advise(
				err, "a trigger would tell which it is; or cut the other out of the file");
		}
	return 0;
}

/* The drift alone. */
static int correlate_held(struct correlation *c, const struct series *s, const struct align_run *run,
			  double edge, bool until)
{
	struct search q;

	if (!run->n_busy)
		return -EINVAL;
	search_begin(&q, s, run);
	*c = (struct correlation){.start = until ? edge - run->seconds : edge};
	climb(&q, c, (struct freedom){false, true, until});
	prefer_right_clock(&q, c, (struct freedom){false, false, until});
	c->error = c->fit > 0 ? error_of(&q, c) : 0;
	search_end(&q);
	return c->fit < CORRELATE_LEAST || fabs(c->drift) > AT_LIMIT * ALIGN_MOST_DRIFT ? -EINVAL : 0;
}

int correlate_from(struct correlation *c, const struct series *s, const struct align_run *run, double edge)
{
	return correlate_held(c, s, run, edge, false);
}

int correlate_until(struct correlation *c, const struct series *s, const struct align_run *run, double edge)
{
	return correlate_held(c, s, run, edge, true);
}
